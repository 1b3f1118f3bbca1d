"""`arena doctor`: examine a bot before it meets others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from arena.commands._clocks import Seconds
from arena.commands._common import FAILED, console, example, harmless, json_option, print_json
from arena.commands._isolation import isolation_of, isolation_option
from arena.types import IsolationLevel, Limits

if TYPE_CHECKING:
    from arena.doctor import Finding, Patient

MARKS = {
    "skip": "-   ",
    "ok": "[green]ok  [/green]",
    "warn": "[yellow]warn[/yellow]",
    "fix": "[red]fix [/red]",
}


@click.command(
    "doctor",
    short_help="Examine a bot.",
    epilog=example("arena doctor ./mybot", "arena doctor ./mybot --variant classic --quick"),
)
@click.argument("bot")
@click.option("--variant", "variants", multiple=True, help="Only this variant; may be given several times.")
@click.option("--start", type=Seconds(), default=Limits().start, show_default=True, help="Seconds to start.")
@click.option(
    "--decision", type=Seconds(), default=Limits().decision, show_default=True, help="Seconds a decision."
)
@isolation_option
@click.option("--quick", is_flag=True, help="Fewer games.")
@json_option
def command(
    bot: str,
    variants: tuple[str, ...],
    start: float,
    decision: float,
    isolation: IsolationLevel,
    quick: bool,
    as_json: bool,
) -> None:
    """Examine BOT (a name or path): does it start, answer, come back, and go, and what does it hold?

    It is asked in positions of every kind of decision of every variant it claims, plays whole games, has its
    stream cut, and is started in the sandbox. At the end stands `ready`, or what to fix and how.

    Exit code 1: there is something to fix.
    """
    from rich.markup import escape

    patient = _patient(bot, variants, Limits(start=start, decision=decision), quick)
    patient.isolation = isolation_of(isolation)
    found: list[Finding] = []
    for finding in _examined(patient):
        found.append(finding)
        if not as_json:
            first, *more = harmless(finding.message).splitlines()
            console().print(
                f"{MARKS[finding.grade]} {finding.check:<12}", escape(first), highlight=False, soft_wrap=True
            )
            for line in more:
                click.echo(f"{'':<18}{line}")
    to_fix = [finding for finding in found if finding.grade == "fix"]
    if as_json:
        print_json({"bot": patient.player.name, "ready": not to_fix, "findings": found})
    else:
        _conclude(found)
    if to_fix:
        raise SystemExit(FAILED)


def _examined(patient: Patient) -> Iterator[Finding]:
    """What the doctor finds, one after the other; the first may take a build."""
    from arena.commands._building import building
    from arena.doctor import examine

    findings = examine(patient)
    with building([patient.player.bot]):
        first = next(findings)
    yield first
    yield from findings


def _patient(reference: str, variants: tuple[str, ...], limits: Limits, quick: bool) -> Patient:
    """The bot with the variants it claims, or those of them that were asked for."""
    from arena.doctor import Patient
    from arena.plugins import installed
    from arena.spec import plays
    from arena.tables import hint
    from arena.types import Player

    spec = installed().find_bot(reference)
    claimed = [name for name, variant in installed().variants.items() if plays(spec, variant)]
    for name in variants:
        if name not in claimed:
            plays_what = f"{spec.name} plays {', '.join(claimed) or 'nothing'}"
            raise click.UsageError(f"--variant {name}{hint(name, claimed)}: {plays_what}")
    if not claimed:
        known = sorted({name for each in installed().variants.values() for name in (each.name, each.family)})
        raise click.UsageError(
            f"{spec.name} plays none of the variants that are here: it claims {', '.join(spec.variants)}; "
            f"variants and families are: {', '.join(known)}"
        )
    return Patient(Player(spec.name, spec), tuple(variants or claimed), limits, quick)


def _conclude(found: list[Finding]) -> None:
    """`ready`, or the list of what to do."""
    for grade, title in (("fix", "To fix:"), ("warn", "Worth a look:")):
        advised: dict[str, dict[str, None]] = {}  # one cause may show in several checks
        for finding in found:
            if finding.grade == grade:
                advised.setdefault(finding.advice or finding.message, {})[finding.check] = None
        if advised:
            click.echo(f"\n{title}")
        for number, (advice, checks) in enumerate(advised.items(), 1):
            click.echo(harmless(f"{number:>3}. {', '.join(checks)}: {advice}"))
    if not any(finding.grade == "fix" for finding in found):
        click.echo("\nready")
