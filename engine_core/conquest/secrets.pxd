"""What a seat may not know, and a consistent guess at it."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from engine_core.bits cimport bit, count, has, lowest, without_lowest
from engine_core.conquest.cards cimport offers_trades
from engine_core.conquest.missions cimport fulfils
from engine_core.conquest.special_dice cimport offers_changes
from engine_core.conquest.stars cimport offers_stars
from engine_core.conquest.state cimport (
    MAX_MISSIONS, MISSION_ELIMINATE, ON_BOARD, PHASE_OVER, PHASE_REROLL, PHASE_STARS, PHASE_TRADE,
    REWARDS, Rules, State, in_setup, still_plays,
)
from engine_core.dice cimport STREAM_RESAMPLE, Dice, draw
from engine_core.kernel cimport MAX_CARDS, NONE
from engine_core.rng cimport arena_scale

cdef enum:
    MOST_GUESSES = 10000    # a hand of three is a set in about 2 of 5 deals

cdef inline void blank(const Rules *rules, State *state, int seat) noexcept nogil:
    """Hide the others' cards, the deck's order and the roll counters; counts of cards stay visible.

    The number of decisions goes, too: it tells that somebody holds a set and kept it.
    """
    cdef int colour
    for colour in range(rules.colours):
        if seat < 0 or rules.colour_seat[colour] != seat:
            state.hand[colour] = 0
            blank_goals(rules, state, colour)
    blank_rewards(rules, state)
    memset(state.deck, NONE, state.deck_count)
    memset(state.rolls, 0, sizeof(state.rolls))
    if state.phase != PHASE_OVER:
        state.decisions = 0

cdef inline void blank_goals(const Rules *rules, State *state, int colour) noexcept nogil:
    """Hide a colour's mission, and its headquarters until it is shown; with the headquarters goes its card."""
    cdef int at = state.capital[colour]
    if state.phase == PHASE_OVER:
        return
    state.mission[colour] = NONE
    state.mission_void &= ~(<uint8_t>1 << colour)
    state.mission_refused &= ~(<uint8_t>1 << colour)
    if rules.headquarters and at != NONE and not has(state.capital_known, colour):
        state.capital[colour] = NONE
        if rules.territory_card[at] < rules.cards:
            state.aside &= ~bit(rules.territory_card[at])

cdef inline void blank_rewards(const Rules *rules, State *state) noexcept nogil:
    """Hide the rewards that lie face down: those of objectives not yet claimed, and the piles."""
    cdef int i
    if not rules.rewards_down or state.phase == PHASE_OVER:
        return
    for i in range(rules.objectives):
        if state.objective[i] == ON_BOARD:
            state.reward_on[i] = NONE
    memset(state.reward_pile, NONE, sizeof(state.reward_pile))

cdef inline int unknown_cards(const Rules *rules, const State *state, uint8_t *out) noexcept nogil:
    """Write the cards that are neither in a visible hand, discarded, nor known in the deck; return their number."""
    cdef uint64_t known = state.discards | state.aside
    cdef int colour
    cdef int card
    cdef int i
    cdef int n = 0
    for colour in range(rules.colours):
        known |= state.hand[colour]
    for i in range(state.deck_count):
        if state.deck[i] != NONE:
            known |= bit(state.deck[i])
    for card in range(rules.cards):
        if not known & bit(card):
            out[n] = <uint8_t>card
            n += 1
    return n

cdef inline void mix(uint8_t *cards, int n, int attempt, const Dice *dice) noexcept nogil:
    """Put the cards into a random order."""
    cdef uint8_t card
    cdef uint64_t word
    cdef int i
    cdef int other
    for i in range(n - 1, 0, -1):
        word = draw(dice, STREAM_RESAMPLE, 0, 0, i, attempt)
        other = <int>arena_scale(word, i + 1, &word)
        card = cards[i]
        cards[i] = cards[other]
        cards[other] = card

cdef inline void deal_cards(const Rules *rules, State *state, const uint8_t *cards, int n) noexcept nogil:
    """Fill the hidden hands, then the deck, by their visible counts."""
    cdef int colour
    cdef int i
    for colour in range(rules.colours):
        while n and count(state.hand[colour]) < state.cards_held[colour]:
            n -= 1
            state.hand[colour] |= bit(cards[n])
    for i in range(state.deck_count):
        if n and state.deck[i] == NONE:
            n -= 1
            state.deck[i] = cards[n]

cdef inline int hidden_places(const Rules *rules, const State *state) noexcept nogil:
    """How many cards the hidden hands and the hidden part of the deck take."""
    cdef int places = 0
    cdef int colour
    cdef int i
    for colour in range(rules.colours):
        places += state.cards_held[colour] - count(state.hand[colour])
    for i in range(state.deck_count):
        places += state.deck[i] == NONE
    return places

cdef inline bint hides_headquarters(const Rules *rules, const State *state, int colour) noexcept nogil:
    """Whether the colour may have a headquarters that this view does not show; who plays on has one."""
    return (
        rules.headquarters_hidden and state.phase != PHASE_OVER and not in_setup(state)
        and state.capital[colour] == NONE and rules.colour_seat[colour] != NONE
        and not has(state.capital_known, colour)
    )

cdef inline int guess_one_headquarters(const Rules *rules, State *state, int colour, uint8_t *cards,
                                       int n) noexcept nogil:
    """Put one on an own territory whose card is unknown; return how many cards are left."""
    cdef int i
    cdef int at
    for i in range(n):
        at = rules.card_territory[cards[i]]
        if at != NONE and has(state.owned[colour], at):
            state.capital[colour] = <uint8_t>at
            state.aside |= bit(cards[i])
            cards[i] = cards[n - 1]
            return n - 1
    return n

cdef inline int guess_headquarters(const Rules *rules, State *state, uint8_t *cards, int n) noexcept nogil:
    """Put hidden headquarters on own territories whose cards are unknown; return how many cards are left.

    The cards are mixed before; those of the headquarters found are taken out of the list and put aside. A colour
    whose seat left has one only if it had picked: then its card is in no hand and not in the deck either.
    """
    cdef int places = hidden_places(rules, state)
    cdef int colour
    for colour in range(rules.colours):
        if hides_headquarters(rules, state, colour) and has(state.living, colour):
            n = guess_one_headquarters(rules, state, colour, cards, n)
    for colour in range(rules.colours):
        if n > places and hides_headquarters(rules, state, colour) and not has(state.living, colour):
            n = guess_one_headquarters(rules, state, colour, cards, n)
    return n

cdef inline void guess_missions(const Rules *rules, State *state, const Dice *dice) noexcept nogil:
    """Deal hidden missions from those that nobody is seen to have; no own colour where it is given back.

    A mission against a colour that has fallen is not fulfilled, or the game would be over: it has fallen back.
    """
    cdef uint64_t left = rules.missions_dealt
    cdef uint8_t order[MAX_MISSIONS]
    cdef int colour
    cdef int number
    cdef int n = 0
    for colour in range(rules.colours):
        if state.mission[colour] != NONE:
            left &= ~bit(state.mission[colour])
        for number in range(rules.missions):
            if has(state.mission_refused, colour) and rules.mission[number].colour == colour:
                left &= ~bit(number)
    while left:
        order[n] = <uint8_t>lowest(left)
        left = without_lowest(left)
        n += 1
    mix(order, n, MOST_GUESSES, dice)
    n = deal_guessed(rules, state, order, n, True)   # first: who is out can have any that they leave
    deal_guessed(rules, state, order, n, False)

cdef inline int deal_guessed(const Rules *rules, State *state, uint8_t *order, int n, bint playing) noexcept nogil:
    """Give those who still play, or the others, one of n missions each; return how many are left."""
    cdef int colour
    cdef int i
    for colour in range(rules.colours):
        if rules.colour_seat[colour] == NONE or state.mission[colour] != NONE:
            continue
        if still_plays(rules, state, colour) != playing:
            continue
        for i in range(n):
            if take_mission(rules, state, colour, order[i]):
                n -= 1
                order[i] = order[n]
                break
    return n

cdef inline bint take_mission(const Rules *rules, State *state, int colour, int mission) noexcept nogil:
    """Give the colour the mission unless it cannot have it: it would have given it back, or have won by it."""
    if rules.redraw_own_mission and rules.mission[mission].colour == colour:
        return False
    state.mission[colour] = <uint8_t>mission
    void_if_impossible(rules, state, colour)
    if rules.missions_own_turn and colour != state.turn_colour:
        return True
    if not still_plays(rules, state, colour) or not fulfils(rules, state, colour):
        return True
    state.mission[colour] = NONE
    state.mission_void &= ~(<uint8_t>1 << colour)
    return False

cdef inline void void_if_impossible(const Rules *rules, State *state, int colour) noexcept nogil:
    """A guessed mission against the own colour, or one that has fallen, is the fallback by now."""
    cdef int target
    if state.mission[colour] == NONE or rules.mission[state.mission[colour]].kind != MISSION_ELIMINATE:
        return
    target = rules.mission[state.mission[colour]].colour
    if target == colour or target == NONE or not has(state.living, target):
        state.mission_void |= <uint8_t>(1 << colour)

cdef inline void guess_rank(const Rules *rules, State *state, uint64_t tokens, uint64_t rank, int piled,
                            const Dice *dice) noexcept nogil:
    """Lay the unknown reward tokens of a rank at random where one is hidden."""
    cdef uint8_t order[REWARDS]
    cdef int number
    cdef int n = 0
    for number in range(rules.objectives):
        if state.reward_on[number] != NONE:
            tokens &= ~bit(state.reward_on[number])
    while tokens:
        order[n] = <uint8_t>lowest(tokens)
        tokens = without_lowest(tokens)
        n += 1
    mix(order, n, 2 * MOST_GUESSES + piled, dice)
    if rules.rewards_piled:
        guess_pile(rules, state, rank, piled, order, n)
        return
    for number in range(rules.objectives):
        if n and has(rank, number) and state.objective[number] == ON_BOARD and state.reward_on[number] == NONE:
            n -= 1
            state.reward_on[number] = order[n]

cdef inline void guess_pile(const Rules *rules, State *state, uint64_t rank, int piled, const uint8_t *order,
                            int n) noexcept nogil:
    """The tokens taken so far came first, in an order that does not matter any more; then the unknown ones."""
    cdef int number
    cdef int at = piled
    if state.reward_pile[piled] != NONE:
        return
    for number in range(rules.objectives):
        if has(rank, number) and state.reward_on[number] != NONE and at < REWARDS:
            state.reward_pile[at] = state.reward_on[number]
            at += 1
    while n and at < REWARDS:
        n -= 1
        state.reward_pile[at] = order[n]
        at += 1

cdef inline bint question_stands(const Rules *rules, const State *state) noexcept nogil:
    """Whether the guessed hand has what the seat is being asked about."""
    if state.phase == PHASE_TRADE:
        return offers_trades(rules, state)
    if state.phase == PHASE_STARS:
        return offers_stars(rules, state)
    if state.phase == PHASE_REROLL:
        return offers_changes(rules, state)
    return True

cdef inline bint hides_missions(const Rules *rules, const State *state) noexcept nogil:
    """Whether a mission is hidden: a game that is over shows them, and so does the state itself."""
    cdef int colour
    if state.phase == PHASE_OVER:
        return False
    for colour in range(rules.colours):
        if rules.missions and rules.colour_seat[colour] != NONE and state.mission[colour] == NONE:
            return True
    return False

cdef inline void guess(const Rules *rules, State *state, Dice *dice) noexcept nogil:
    """Fill in what is hidden at random; who is asked about cards is known to have some."""
    cdef uint8_t cards[MAX_CARDS]
    cdef int n
    cdef int attempt
    cdef State blanked = state[0]
    if hides_missions(rules, state):
        guess_missions(rules, &blanked, dice)
    if rules.rewards_down and state.phase != PHASE_OVER:
        guess_rank(rules, &blanked, rules.minor_rewards, rules.minors, 0, dice)
        guess_rank(rules, &blanked, rules.major_rewards, rules.majors, rules.minors_drawn, dice)
    for attempt in range(MOST_GUESSES):
        state[0] = blanked
        n = unknown_cards(rules, state, cards)
        mix(cards, n, attempt, dice)
        n = guess_headquarters(rules, state, cards, n)
        deal_cards(rules, state, cards, n)
        if question_stands(rules, state):
            return
