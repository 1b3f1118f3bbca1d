"""Memory of the conquest family: the immutable rules block, the flat state block, and what both are read with."""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from libc.string cimport memset

from engine_core.bits cimport bit, has
from engine_core.dice cimport Dice
from engine_core.kernel cimport (
    MAX_BORDERS, MAX_CARDS, MAX_COLOURS, MAX_SEATS, MAX_TERRITORIES, NONE, PUBLIC_BIT, EventLog,
)

cdef enum:
    NO_CAP = 1 << 30         # troops a territory may hold where no rule limits them
    ON_BOARD = 100           # an objective that nobody holds yet
    MAX_MISSIONS = 24
    MAX_OBJECTIVES = 16
    REWARDS = 8
    MOST_STARS = 10          # that are turned in at once

cdef enum Phase:
    PHASE_CLAIM
    PHASE_PLACE
    PHASE_BEGIN      # passed through, never waits
    PHASE_TRADE
    PHASE_BONUS
    PHASE_DEPLOY
    PHASE_ATTACK
    PHASE_DEFEND
    PHASE_OCCUPY
    PHASE_FORTIFY
    PHASE_END        # passed through, never waits
    PHASE_OVER
    PHASE_CAPITAL
    PHASE_HEADQUARTERS   # all at once
    PHASE_STARS
    PHASE_MANEUVER
    PHASE_OBJECTIVE
    PHASE_AIRFIELD
    PHASE_REROLL

cdef enum Kind:
    KIND_END         # stop or decline what the phase offers
    KIND_CLAIM
    KIND_PLACE
    KIND_TRADE
    KIND_BONUS
    KIND_DEPLOY
    KIND_ATTACK
    KIND_DEFEND
    KIND_OCCUPY
    KIND_FORTIFY
    KIND_CAPITAL
    KIND_HEADQUARTERS
    KIND_STARS
    KIND_OBJECTIVE
    KIND_AIRFIELD
    KIND_REROLL
    KIND_COMMAND

# Which own territories a fortify phase joins: one move, several from one territory, several from several.
cdef enum Moves:
    MOVES_SINGLE
    MOVES_FROM_ONE
    MOVES_FROM_MANY

cdef enum MissionKind:
    MISSION_REGIONS
    MISSION_REGIONS_AND_ONE
    MISSION_TERRITORIES
    MISSION_ELIMINATE

cdef enum ObjectiveKind:
    OBJECTIVE_REGION
    OBJECTIVE_CITIES
    OBJECTIVE_ENEMY_CAPITALS
    OBJECTIVE_NEW_CITIES
    OBJECTIVE_NEW_TERRITORIES
    OBJECTIVE_TERRITORIES
    OBJECTIVE_NEW_REGION
    OBJECTIVE_REGIONS

cdef enum Reward:
    REWARD_AIRFIELD_MINOR
    REWARD_STARTING_MANEUVER
    REWARD_ADDITIONAL_MANEUVER
    REWARD_GUARANTEED_CARD
    REWARD_AIRFIELD_MAJOR
    REWARD_ATTACK_DIE
    REWARD_DEFENSE_DIE
    REWARD_TWO_TROOPS

cdef enum CapitalRule:
    CAPITALS_NONE
    CAPITALS_CLAIMED
    CAPITALS_CHOSEN

cdef enum AirfieldScope:
    SCOPE_OWN_TERRITORY
    SCOPE_BATTLE_LOCATION
    SCOPE_EITHER

cdef enum EventKind:
    EVENT_ROLLED_FIRST   # seat, one die
    EVENT_DEALT          # a = territory, b = colour
    EVENT_CLAIMED        # a = territory, b = colour
    EVENT_PLACED         # a = territory, b = colour
    EVENT_TURN           # seat, n = lap
    EVENT_REINFORCED     # seat, n = troops
    EVENT_TRADED         # seat, a b c = cards, n = troops
    EVENT_BONUS          # seat, a = territory, n = troops
    EVENT_DEPLOYED       # seat, a = territory, n = troops
    EVENT_ATTACKED       # seat, a = from, b = to, n = dice
    EVENT_BATTLE         # a = from, b = to, c = attack dice, n = defender's losses; dice: attack, then defence
    EVENT_CAPTURED       # seat, a = from, b = to, c = colour that lost it
    EVENT_OCCUPIED       # seat, a = from, b = to, n = troops
    EVENT_ELIMINATED     # seat that fell, b = its colour, n = order number
    EVENT_CARDS_TAKEN    # seat, b = colour they came from, n = how many
    EVENT_CARD_TAKEN     # seat, a = card (to that seat only)
    EVENT_DREW           # seat, a = card (NONE for the others)
    EVENT_RESHUFFLED     # n = cards in the new deck
    EVENT_FORTIFIED      # seat, a = from, b = to, n = troops
    EVENT_RETIRED        # seat, n = mode
    EVENT_OVER           # n = termination
    EVENT_MISSION        # seat, a = mission (to that seat only)
    EVENT_MISSION_CHANGED   # seat: its mission has become the fallback (to that seat only)
    EVENT_FULFILLED      # seat, a = mission
    EVENT_CITY           # a = territory
    EVENT_OBJECTIVE_DRAWN   # a = objective, b = reward on it, NONE if none or face down
    EVENT_CAPITAL        # seat, a = territory, b = colour
    EVENT_HEADQUARTERS_PICKED   # seat, a = territory (to that seat only)
    EVENT_HEADQUARTERS   # seat, a = territory, b = colour
    EVENT_STARS          # seat, a = one-star cards, b = two-star cards, n = troops
    EVENT_OBJECTIVE      # seat, a = objective
    EVENT_OBJECTIVES_TAKEN  # seat, a = objective, b = colour it came from
    EVENT_REWARD         # seat, a = reward
    EVENT_REWARD_LOST    # seat, a = reward
    EVENT_AIRFIELD       # seat, a = territory
    EVENT_AIRFIELD_LOST  # seat, a = territory
    EVENT_ROLLED         # seat, a = from, b = to, c = attack dice; dice: attack, then defence
    EVENT_REROLLED       # seat, a = card, b = which die; dice: the new one
    EVENT_COMMANDED      # seat, a = which die
    EVENT_LOST_TROOPS    # seat, n = troops that found no room
    EVENT_CONQUERED      # seat that has won by objectives or headquarters

# What apply() answers; 0 is fine. The sentences are in describe.py, in this order.
cdef enum Rule:
    RULE_OK
    RULE_NOT_ASKED
    RULE_WRONG_PHASE
    RULE_UNUSED_OPERAND
    RULE_NO_SUCH_TERRITORY
    RULE_TAKEN
    RULE_NOT_OWN
    RULE_WRONG_COLOUR
    RULE_NOT_HELD
    RULE_NOT_A_SET
    RULE_MUST_TRADE
    RULE_NOT_OFFERED
    RULE_AMOUNT
    RULE_OWN_TARGET
    RULE_NOT_ADJACENT
    RULE_ATTACK_DICE
    RULE_DEFENCE_DICE
    RULE_OCCUPY_AMOUNT
    RULE_NOT_REACHABLE
    RULE_LEAVE_ONE
    RULE_CANNOT_STOP
    RULE_NO_ROOM
    RULE_GAVE_OR_TOOK
    RULE_STARS
    RULE_NO_SUCH_DIE
    RULE_CARD_OF_BATTLE
    RULE_ALREADY_OUT
    RULE_BAD_MODE
    BROKEN_OWNERS
    BROKEN_TROOPS
    BROKEN_CARDS
    BROKEN_TURN
    BROKEN_LIVING
    BROKEN_BATTLE
    BROKEN_PHASE
    BROKEN_GOALS
    BROKEN_REWARDS

cdef struct Rules
cdef struct State

cdef struct Mission:
    uint64_t regions                 # bit mask of regions
    int32_t count
    int32_t least                    # troops on each of them
    uint8_t kind
    uint8_t colour                   # the one to eliminate; NONE when it does not play

cdef struct Objective:
    int32_t count
    uint8_t kind
    uint8_t region

ctypedef int (*TradeValue)(const Rules *, const State *, uint64_t) noexcept nogil
ctypedef bint (*SetTest)(const Rules *, uint64_t) noexcept nogil
ctypedef bint (*DefenderAsked)(const State *) noexcept nogil
ctypedef bint (*Fight)(const Rules *, State *, int, Dice *, EventLog *) noexcept nogil

cdef struct Rules:
    int seats
    int colours
    int territories
    int cards
    int borders
    int regions
    int neutral_colour               # a third colour without a seat, or -1
    int starting_troops
    int first_player_rolls
    int deal                         # 0 = claim, 1 = territories are dealt
    int reinforce_start_next
    int own_troops_a_go              # in set-up: own troops placed a go, then one neutral if there is a neutral
    int must_trade_at
    int bonus_a_turn                 # how many +2 bonuses a turn
    int elimination_trade_at         # a hand this large after an elimination is traded down at once; 0 = never
    int reshuffle_discards
    int draw_at_end_attack
    int min_move_dice
    int last_capture_ends
    int turn_cap
    int troop_cap                    # NO_CAP = none
    int bonus_declinable
    int fortify_moves                # Moves
    int fortify_by_path              # along own territories, not only to a neighbour
    int fortify_plain                # one move, no cap: reach alone decides
    int after_place                  # the phase that follows
    int stars                        # cards have stars, not symbols
    int card_reroll
    int commander
    int missions                     # how many there are; 0 = not played
    int redraw_own_mission
    int kill_credit_self
    int missions_own_turn
    int fallback_count
    int fallback_least
    int headquarters                 # played with headquarters
    int headquarters_hidden
    int headquarters_to_win
    int capitals                     # CapitalRule
    int cities                       # how many are drawn
    int objectives                   # how many there are; 0 = not played
    int minors_drawn
    int majors_drawn
    int objectives_to_win            # 0 = they never win
    int elimination_win
    int rewards
    int rewards_piled
    int rewards_down
    int reward_troops
    int airfield_scope               # AirfieldScope
    int airfield_cap
    int guaranteed_beats_objective
    int star_trades_a_turn
    uint64_t city_preset             # territories; 0 = drawn
    uint64_t missions_dealt          # those that no colour out of play makes void
    uint64_t minors
    uint64_t majors
    uint64_t objective_preset        # 0 = drawn
    uint64_t minor_rewards
    uint64_t major_rewards
    Mission mission[MAX_MISSIONS]
    Objective objective[MAX_OBJECTIVES]
    int32_t star_value[MOST_STARS + 1]
    uint8_t extra_cards[MAX_SEATS]   # by turn order
    uint8_t territory_card[MAX_TERRITORIES]
    uint64_t all_territories
    uint64_t adjacent[MAX_TERRITORIES]
    uint8_t border[MAX_TERRITORIES][MAX_TERRITORIES]   # number of a directed border
    uint64_t region_members[MAX_TERRITORIES]
    int32_t region_bonus[MAX_TERRITORIES]
    uint64_t symbol_cards[6]                           # infantry, cavalry, artillery, wild, one star, two stars
    uint8_t card_territory[MAX_CARDS]
    uint8_t colour_seat[MAX_COLOURS]
    uint8_t seat_team[MAX_SEATS]
    int32_t fixed_value[5]                             # three infantry, cavalry, artillery, mixed, pair + wild
    TradeValue trade_value
    SetTest is_set
    SetTest holds_set
    DefenderAsked defender_asked
    Fight special_fight                                # NULL = plain dice

cdef struct State:
    uint64_t owned[MAX_COLOURS]
    uint64_t hand[MAX_COLOURS]
    uint64_t discards
    uint64_t bonus_choices
    uint64_t strong                  # territories with two troops or more: kept in step by set_troops
    uint64_t full                    # territories at the troop cap: kept in step, too
    int32_t troops[MAX_TERRITORIES]
    int32_t pool[MAX_COLOURS]        # troops still to place in set-up
    int32_t reinforcements
    int32_t lap
    int32_t decisions
    int32_t sets_traded
    int32_t reshuffles
    int16_t eliminated_at[MAX_COLOURS]
    uint16_t rolls[MAX_BORDERS]      # battles on each directed border in this lap
    uint8_t owner[MAX_TERRITORIES]
    uint8_t deck[MAX_CARDS]          # drawn from the end
    uint8_t cards_held[MAX_COLOURS]
    uint8_t retired[MAX_SEATS]       # RetireMode or 0
    uint8_t deck_count
    uint8_t living                   # bit mask of colours that take turns
    uint8_t phase
    uint8_t turn_colour
    uint8_t first_colour
    uint8_t placed                   # troops placed in this go of the set-up
    uint8_t captured
    uint8_t bonuses_used
    uint8_t trades_this_turn
    uint8_t during_attack
    uint8_t attack_from
    uint8_t attack_to
    uint8_t attack_dice
    uint8_t victim                   # colour whose territory has just been captured
    uint8_t eliminations
    uint8_t termination
    uint8_t unchecked                # something changed that may fulfil a mission
    uint8_t winner                   # colour that won by a mission, objectives or headquarters, else NONE
    uint8_t mission_void             # bit mask of colours whose mission has become the fallback
    uint8_t mission_refused          # bit mask of colours that gave back the mission against themselves
    uint8_t capital_known            # bit mask of colours whose headquarters everybody knows
    uint8_t objective_claimed
    uint8_t moves_left               # fortifying moves that may follow the next one
    uint8_t commander_used
    uint8_t rerolled
    uint8_t rolled[5]                # the dice that an expert rule may still change
    uint8_t capital[MAX_COLOURS]     # capital or headquarters: a territory, NONE
    uint8_t mission[MAX_COLOURS]
    uint8_t objective[MAX_OBJECTIVES]   # colour that holds it, ON_BOARD, NONE = in the box
    uint8_t reward_on[MAX_OBJECTIVES]   # the reward laid on an objective, also after it was claimed
    uint8_t reward[REWARDS]          # colour that has it
    uint8_t reward_pile[REWARDS]     # minor ones, then major ones, as they are taken
    uint8_t airfield[2]              # territory of the minor and the major token
    uint64_t cities
    uint64_t turn_owned              # what the turn's colour owned at the start of the turn
    uint64_t gave                    # territories that gave or took troops in this fortify phase
    uint64_t took
    uint64_t aside                   # cards out of the game: the headquarters'

cdef inline void reset(State *state) noexcept nogil:
    """In a zeroed block: no territory, card, colour or goal anywhere."""
    memset(state.owner, NONE, sizeof(state.owner))
    memset(state.capital, NONE, sizeof(state.capital))
    memset(state.mission, NONE, sizeof(state.mission))
    memset(state.objective, NONE, sizeof(state.objective))
    memset(state.reward_on, NONE, sizeof(state.reward_on))
    memset(state.reward, NONE, sizeof(state.reward))
    memset(state.reward_pile, NONE, sizeof(state.reward_pile))
    memset(state.airfield, NONE, sizeof(state.airfield))
    state.attack_from = NONE
    state.attack_to = NONE
    state.victim = NONE
    state.winner = NONE

cdef inline uint32_t everyone(const Rules *rules) noexcept nogil:
    """Event mask: all seats and the public."""
    return ((<uint32_t>1 << rules.seats) - 1) | (<uint32_t>1 << PUBLIC_BIT)

cdef inline int turn_seat(const Rules *rules, const State *state) noexcept nogil:
    return rules.colour_seat[state.turn_colour]

cdef inline bint is_own(const State *state, int territory) noexcept nogil:
    """Whether the colour whose turn it is owns the territory (a number below MAX_TERRITORIES)."""
    return has(state.owned[state.turn_colour], territory)

cdef inline bint all_of(uint64_t members, uint64_t wanted) noexcept nogil:
    return (members & wanted) == wanted

cdef inline bint may_be_free(const State *state) noexcept nogil:
    """Territories have no owner while they are claimed, and when a forfeit ends the game there."""
    return state.phase == PHASE_CLAIM or state.phase == PHASE_CAPITAL or state.phase == PHASE_OVER

cdef inline bint in_setup(const State *state) noexcept nogil:
    return (
        state.phase == PHASE_CLAIM or state.phase == PHASE_PLACE or state.phase == PHASE_CAPITAL
        or state.phase == PHASE_HEADQUARTERS
    )

cdef inline bint still_plays(const Rules *rules, const State *state, int colour) noexcept nogil:
    """Whether the colour takes turns and its seat decides: who was retired wins nothing any more."""
    return (state.living >> colour) & 1 and not state.retired[rules.colour_seat[colour]]

cdef inline int next_living(const Rules *rules, const State *state, int colour) noexcept nogil:
    """The next colour clockwise that takes turns; the colour itself when it is the only one."""
    cdef int _i
    cdef int candidate = colour
    for _i in range(rules.colours):
        candidate += 1
        if candidate == rules.colours:
            candidate = 0
        if (state.living >> candidate) & 1:
            return candidate
    return colour

cdef inline int defender_seat(const Rules *rules, const State *state) noexcept nogil:
    """Who rolls for the attacked territory: its seat, or the attacker's next opponent for the neutral colour."""
    cdef int colour = state.owner[state.attack_to]
    if colour == rules.neutral_colour:
        colour = next_living(rules, state, state.turn_colour)
    return rules.colour_seat[colour]

cdef inline int acting_seat(const Rules *rules, const State *state) noexcept nogil:
    """The one seat that owes a decision; in PHASE_HEADQUARTERS it may be several (capitals.pxd)."""
    if state.phase == PHASE_DEFEND:
        return defender_seat(rules, state)
    return rules.colour_seat[state.turn_colour]

cdef inline void set_troops(const Rules *rules, State *state, int territory, int troops) noexcept nogil:
    """The only way troops change."""
    if rules.troop_cap != NO_CAP:
        state.full = (state.full & ~bit(territory)) | (<uint64_t>(troops >= rules.troop_cap) << territory)
    state.troops[territory] = troops
    state.strong = (state.strong & ~bit(territory)) | (<uint64_t>(troops > 1) << territory)

cdef inline void add_troops(const Rules *rules, State *state, int territory, int troops) noexcept nogil:
    set_troops(rules, state, territory, state.troops[territory] + troops)

cdef inline void give(const Rules *rules, State *state, int territory, int colour, int troops) noexcept nogil:
    """Hand a territory to a colour."""
    cdef int before = state.owner[territory]
    if before != NONE:
        state.owned[before] &= ~bit(territory)
    state.owner[territory] = <uint8_t>colour
    state.owned[colour] |= bit(territory)
    set_troops(rules, state, territory, troops)

cdef inline int room(const Rules *rules, const State *state, int territory) noexcept nogil:
    """How many more troops the territory may hold."""
    cdef int left = rules.troop_cap - state.troops[territory]
    return left if left > 0 else 0

cdef inline uint64_t with_room(const State *state, uint64_t members) noexcept nogil:
    """Those of the territories that may hold more troops."""
    return members & ~state.full
