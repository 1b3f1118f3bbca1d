package bot

import (
	"sync"
	"time"

	"conquest-arena/bot/arenapb"
)

// gather is how long an answer waits for others that are being thought about, to leave in one message.
const gather = time.Millisecond

// remembered is how many answers are kept for questions that may be asked again.
const remembered = 4096

// outbox is what the bot says, over whatever stream there is; without one what is said is lost, and answers are
// asked for again.
type outbox struct {
	mutex  sync.Mutex
	stream arenapb.PlayService_PlayClient
	acts   []*arenapb.Act
}

func (o *outbox) use(stream arenapb.PlayService_PlayClient) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.stream, o.acts = stream, nil
}

// put sends an answer: at once when it is the last that is being thought about, else with those of the next moment.
func (o *outbox) put(act *arenapb.Act, last bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.acts = append(o.acts, act)
	if last {
		o.flush()
	} else if len(o.acts) == 1 {
		time.AfterFunc(gather, func() {
			o.mutex.Lock()
			defer o.mutex.Unlock()
			o.flush()
		})
	}
}

func (o *outbox) log(text string) {
	o.send(&arenapb.PlayRequest{Content: &arenapb.PlayRequest_Log{Log: &arenapb.Log{Text: text}}})
}

func (o *outbox) send(request *arenapb.PlayRequest) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.write(request)
}

func (o *outbox) flush() {
	if len(o.acts) > 0 {
		batch := &arenapb.ActBatch{Acts: o.acts}
		o.acts = nil
		o.write(&arenapb.PlayRequest{Content: &arenapb.PlayRequest_Acts{Acts: batch}})
	}
}

// write leaves errors to the receiving side: it learns at the same time that the stream is broken, and why.
func (o *outbox) write(request *arenapb.PlayRequest) {
	if o.stream != nil {
		_ = o.stream.Send(request)
	}
}

// memory knows what was asked and how it was answered, so that a question sent again is answered in the same way.
type memory struct {
	mutex sync.Mutex
	acts  map[uint32]*arenapb.Act // nil while the bot thinks
	order []uint32                // of the answers
	open  int
}

func newMemory() *memory { return &memory{acts: map[uint32]*arenapb.Act{}} }

// begin notes a question. A known one has been asked before, with its answer unless the bot still thinks.
func (m *memory) begin(id uint32) (act *arenapb.Act, known bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	act, known = m.acts[id]
	if !known {
		m.acts[id] = nil
		m.open++
	}
	return act, known
}

// finish notes an answer and says whether it was the last that the bot thought about.
func (m *memory) finish(act *arenapb.Act) (last bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.open--
	m.acts[act.DecisionId] = act
	m.order = append(m.order, act.DecisionId)
	if len(m.order) > remembered {
		delete(m.acts, m.order[0])
		m.order = m.order[1:]
	}
	return m.open == 0
}
