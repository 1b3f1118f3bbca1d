"""What is true of every position that can come up: for tests, and to refuse written ones that cannot."""

from libc.stdint cimport uint64_t

from engine_core.bits cimport bit, count, has
from engine_core.conquest.capitals cimport capital_sites, seats_that_pick
from engine_core.conquest.cards cimport offers_trades
from engine_core.conquest.combat cimport ATTACK_DICE, least_move, most_attack_dice
from engine_core.conquest.fortify cimport can_fortify
from engine_core.conquest.missions cimport is_against
from engine_core.conquest.objectives cimport claimable
from engine_core.conquest.rewards cimport airfield_reward, airfield_to_place
from engine_core.conquest.setup cimport placing_colour, unclaimed
from engine_core.conquest.special_dice cimport offers_changes
from engine_core.conquest.stars cimport offers_stars
from engine_core.conquest.state cimport (
    BROKEN_BATTLE, BROKEN_CARDS, BROKEN_GOALS, BROKEN_LIVING, BROKEN_OWNERS, BROKEN_PHASE, BROKEN_REWARDS,
    BROKEN_TROOPS, BROKEN_TURN, PHASE_AIRFIELD, PHASE_ATTACK, PHASE_BONUS, PHASE_CAPITAL, PHASE_CLAIM, PHASE_DEFEND,
    PHASE_DEPLOY, PHASE_FORTIFY, PHASE_HEADQUARTERS, PHASE_MANEUVER, PHASE_OBJECTIVE, PHASE_OCCUPY, PHASE_OVER,
    PHASE_PLACE, PHASE_REROLL, PHASE_STARS, PHASE_TRADE, REWARDS, RULE_NO_ROOM, RULE_OK, Rules, State, acting_seat,
    all_of, in_setup, is_own, may_be_free,
)
from engine_core.conquest.victory cimport one_team
from engine_core.kernel cimport NONE

cdef inline int broken_board(const Rules *rules, const State *state) noexcept nogil:
    """Every territory belongs to one colour and holds troops, but for the free and the one just captured."""
    cdef int territory
    cdef int colour
    cdef uint64_t seen = 0
    cdef bint capture = state.phase == PHASE_OCCUPY or state.phase == PHASE_OVER
    for colour in range(rules.colours):
        if seen & state.owned[colour]:
            return BROKEN_OWNERS
        seen |= state.owned[colour]
    for territory in range(rules.territories):
        colour = state.owner[territory]
        if (colour != NONE) != has(seen, territory) or (colour == NONE and not may_be_free(state)):
            return BROKEN_OWNERS
        if colour != NONE and not has(state.owned[colour], territory):
            return BROKEN_OWNERS
        if has(state.strong, territory) != (state.troops[territory] > 1):
            return BROKEN_TROOPS
        if capture and territory == state.attack_to:
            continue
        if (colour != NONE) != (state.troops[territory] > 0):
            return BROKEN_TROOPS
    return RULE_OK

cdef inline bint cards_agree(const Rules *rules, const State *state) noexcept nogil:
    """Every card in exactly one hand, the discards or the deck, and the counts right."""
    cdef uint64_t seen = state.discards | state.aside
    cdef int colour
    cdef int i
    for colour in range(rules.colours):
        if seen & state.hand[colour] or count(state.hand[colour]) != state.cards_held[colour]:
            return False
        seen |= state.hand[colour]
    for i in range(state.deck_count):
        if state.deck[i] >= rules.cards or seen & bit(state.deck[i]):
            return False
        seen |= bit(state.deck[i])
    return count(seen) == rules.cards

cdef inline bint living_agree(const Rules *rules, const State *state) noexcept nogil:
    """Who takes turns has a seat and land, but for the set-up and who has just lost the last territory."""
    cdef int colour
    if state.eliminations + count(state.living) > rules.colours:
        return False
    for colour in range(rules.colours):
        if not has(state.living, colour):
            continue
        if rules.colour_seat[colour] == NONE:
            return False
        if not state.owned[colour] and not may_be_free(state) and colour != state.victim:
            return False
    return True

cdef inline bint battle_agrees(const Rules *rules, const State *state) noexcept nogil:
    """An attack under way was a legal one; a captured territory waits for at least the dice rolled."""
    cdef int source = state.attack_from
    cdef int target = state.attack_to
    if state.phase != PHASE_OCCUPY and state.victim != NONE:
        return False
    if state.phase != PHASE_DEFEND and state.phase != PHASE_OCCUPY and state.phase != PHASE_REROLL:
        return source == NONE and target == NONE
    if source >= rules.territories or target >= rules.territories or not has(rules.adjacent[source], target):
        return False
    if not is_own(state, source) or state.attack_dice < 1:
        return False
    if state.phase != PHASE_OCCUPY:
        return not is_own(state, target) and state.attack_dice <= most_attack_dice(state.troops[source])
    if state.victim >= rules.colours or state.victim == state.turn_colour or not is_own(state, target):
        return False
    return state.troops[target] == 0 and least_move(rules, state) < state.troops[source]

cdef inline bint goal_phase(const State *state) noexcept nogil:
    return (
        state.phase == PHASE_CAPITAL or state.phase == PHASE_HEADQUARTERS or state.phase == PHASE_STARS
        or state.phase == PHASE_MANEUVER or state.phase == PHASE_OBJECTIVE or state.phase == PHASE_AIRFIELD
        or state.phase == PHASE_REROLL
    )

cdef inline bint goal_can_be_answered(const Rules *rules, const State *state) noexcept nogil:
    """Whether a phase of capitals, objectives, rewards or expert dice offers something that the rules know."""
    if state.phase == PHASE_CAPITAL:
        return rules.capitals != 0 and capital_sites(rules, state) != 0
    if state.phase == PHASE_HEADQUARTERS:
        return rules.headquarters and seats_that_pick(rules, state) != 0
    if state.phase == PHASE_STARS:
        return rules.stars and offers_stars(rules, state)
    if state.phase == PHASE_MANEUVER:
        return rules.rewards and can_fortify(rules, state)
    if state.phase == PHASE_OBJECTIVE:
        return claimable(rules, state) != 0
    if state.phase == PHASE_AIRFIELD:
        return rules.rewards and airfield_to_place(state, state.turn_colour) != NONE
    return dice_on_table(rules, state) and offers_changes(rules, state)

cdef inline bint dice_on_table(const Rules *rules, const State *state) noexcept nogil:
    """As many attack dice as were announced, and one or two of defence."""
    cdef int die
    if not rules.card_reroll and not rules.commander:
        return False
    for die in range(ATTACK_DICE):
        if (state.rolled[die] > 0) != (die < state.attack_dice):
            return False
    if not state.rolled[ATTACK_DICE]:
        return False
    return state.rolled[ATTACK_DICE + 1] == 0 or state.troops[state.attack_to] > 1

cdef inline bint missions_agree(const Rules *rules, const State *state) noexcept nogil:
    """Every seat's colour has one of the missions in play, no two the same, and nobody one against itself."""
    cdef uint64_t seen = 0
    cdef int colour
    for colour in range(rules.colours):
        if rules.colour_seat[colour] == NONE:
            continue
        if state.mission[colour] >= rules.missions or has(seen, state.mission[colour]):
            return False
        if is_against(rules, state, colour, colour) and not has(state.mission_void, colour):
            return False
        seen |= bit(state.mission[colour])
    return True

cdef inline bint capital_may_be_missing(const Rules *rules, const State *state) noexcept nogil:
    """Headquarters are picked at the end of the set-up, capitals founded before the first troops are placed."""
    return in_setup(state) if rules.headquarters else state.phase == PHASE_CAPITAL

cdef inline bint capitals_agree(const Rules *rules, const State *state) noexcept nogil:
    """Every colour that takes turns has a capital or headquarters by then, each elsewhere."""
    cdef uint64_t seen = 0
    cdef int colour
    for colour in range(rules.colours):
        if state.capital[colour] == NONE:
            if has(state.living, colour) and not capital_may_be_missing(rules, state):
                return False
            continue
        if has(seen, state.capital[colour]):
            return False
        if in_setup(state) and not has(state.owned[colour], state.capital[colour]):
            return False   # it is founded on own land
        seen |= bit(state.capital[colour])
    return True

cdef inline bint rewards_agree(const Rules *rules, const State *state) noexcept nogil:
    """An airfield stands on a territory of who has it, and rewards belong to colours in the game."""
    cdef int token
    cdef int reward
    for token in range(2):
        if state.airfield[token] == NONE:
            continue
        reward = airfield_reward(token)
        if state.reward[reward] == NONE or state.reward[reward] != state.owner[state.airfield[token]]:
            return False
    for reward in range(REWARDS):
        if state.reward[reward] != NONE and not has(state.living, state.reward[reward]):
            return False
    return True

cdef inline bint has_room_for_all(const Rules *rules, const State *state) noexcept nogil:
    """No territory holds more troops than the limit."""
    cdef int territory
    for territory in range(rules.territories):
        if state.troops[territory] > rules.troop_cap:
            return False
        if has(state.full, territory) != (state.troops[territory] == rules.troop_cap):
            return False
    return True

cdef inline int broken_goals(const Rules *rules, const State *state) noexcept nogil:
    """0, or what does not hold of missions, capitals, objectives, rewards and the troop cap."""
    if not has_room_for_all(rules, state):
        return RULE_NO_ROOM
    if rules.missions and not missions_agree(rules, state):
        return BROKEN_GOALS
    if (rules.headquarters or rules.capitals) and not capitals_agree(rules, state):
        return BROKEN_GOALS
    if rules.rewards and not rewards_agree(rules, state):
        return BROKEN_REWARDS
    return RULE_OK

cdef inline bint can_be_answered(const Rules *rules, const State *state) noexcept nogil:
    """Whether the phase is one that waits, and offers something; nothing is left over from another one."""
    cdef int colour
    if state.phase == PHASE_BONUS:
        return state.bonus_choices != 0 and all_of(state.owned[state.turn_colour], state.bonus_choices)
    if state.bonus_choices:
        return False
    if state.phase == PHASE_DEPLOY:
        return state.reinforcements > 0
    if state.phase == PHASE_TRADE:
        return offers_trades(rules, state)
    if state.phase == PHASE_CLAIM:
        return unclaimed(rules, state) != 0
    if state.phase == PHASE_PLACE:
        colour = placing_colour(rules, state)
        return state.pool[colour] > 0 and state.owned[colour] != 0
    if goal_phase(state):
        return goal_can_be_answered(rules, state)
    return (
        state.phase == PHASE_ATTACK or state.phase == PHASE_DEFEND or state.phase == PHASE_OCCUPY
        or state.phase == PHASE_FORTIFY
    )

cdef inline int broken_invariant(const Rules *rules, const State *state) noexcept nogil:
    """0, or the number of the sentence that does not hold."""
    cdef int broken = broken_board(rules, state)
    if broken:
        return broken
    if not cards_agree(rules, state):
        return BROKEN_CARDS
    if state.phase == PHASE_OVER:
        return RULE_OK
    if not has(state.living, state.turn_colour) or one_team(rules, state, True):
        return BROKEN_TURN
    if not living_agree(rules, state):
        return BROKEN_LIVING
    if not battle_agrees(rules, state):
        return BROKEN_BATTLE
    if not can_be_answered(rules, state):
        return BROKEN_PHASE
    if state.phase != PHASE_HEADQUARTERS and state.retired[acting_seat(rules, state)]:
        return BROKEN_PHASE
    return broken_goals(rules, state)
