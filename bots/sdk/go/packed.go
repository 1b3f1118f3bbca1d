package bot

import (
	"encoding/binary"
	"fmt"
	"strings"

	"conquest-arena/bot/arenapb"
)

// View is what a seat may see: values by the field names of Rules.Fields; -1 is hidden or none.
type View struct {
	layout *layout
	words  []int32
}

// Has says whether this game has a field of that name.
func (v View) Has(field string) bool {
	_, found := v.layout.fields[field]
	return found
}

// Values are a field's values, in the order of what indexes them. It panics for a name that this game has not.
func (v View) Values(field string) []int32 {
	run, found := v.layout.fields[field]
	if !found {
		panic(fmt.Sprintf("no field %q in this game; it has: %s", field, strings.Join(v.layout.names, ", ")))
	}
	return v.words[run.first : run.first+run.length]
}

// Value is a field's only, or first, value. It panics for a name that this game has not.
func (v View) Value(field string) int { return int(v.Values(field)[0]) }

// layout says where each field lies in a packed view.
type layout struct {
	version uint32
	fields  map[string]run
	names   []string
	words   int
}

type run struct{ first, length int }

func newLayout(rules *arenapb.Rules) *layout {
	made := &layout{version: rules.LayoutVersion, fields: map[string]run{}, words: 1}
	for _, field := range rules.Fields {
		made.fields[field.Name] = run{made.words, int(field.Length)}
		made.names = append(made.names, field.Name)
		made.words += int(field.Length)
	}
	return made
}

func (l *layout) view(packed []byte) (View, error) {
	words, err := unpackWords(packed)
	if err != nil {
		return View{}, fmt.Errorf("view: %w", err)
	}
	if len(words) != l.words || uint32(words[0]) != l.version {
		return View{}, fmt.Errorf("view: %d words, not %d of layout %d", len(words), l.words, l.version)
	}
	return View{l, words}, nil
}

func unpackLegal(packed []byte) ([]Range, error) {
	words, err := unpackWords(packed)
	if err != nil || len(words) == 0 || len(words)%3 != 0 {
		return nil, fmt.Errorf("legal ranges: %d bytes are no ranges of 12", len(packed))
	}
	ranges := make([]Range, len(words)/3)
	for i := range ranges {
		kind, a, b, c := unpackKind(words[3*i])
		ranges[i] = Range{i, kind, a, b, c, int(words[3*i+1]), int(words[3*i+2])}
	}
	return ranges, nil
}

func unpackEvents(packed []byte) ([]Event, error) {
	words, err := unpackWords(packed)
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	var events []Event
	for len(words) > 0 {
		if len(words) < 4 || words[3] < 0 || int(words[3]) > len(words)-4 {
			return nil, fmt.Errorf("events: cut short after %d", len(events))
		}
		end := 4 + int(words[3])
		kind, a, b, c := unpackKind(words[0])
		events = append(events, Event{kind, int(words[2]), a, b, c, int(words[1]), words[4:end:end]})
		words = words[end:]
	}
	return events, nil
}

func unpackKind(word int32) (kind, a, b, c int) {
	return int(word & 255), int(word >> 8 & 255), int(word >> 16 & 255), int(word >> 24 & 255)
}

func unpackWords(packed []byte) ([]int32, error) {
	if len(packed)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole words", len(packed))
	}
	words := make([]int32, len(packed)/4)
	for i := range words {
		words[i] = int32(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	return words, nil
}
