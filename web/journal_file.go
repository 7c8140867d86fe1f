package web

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"samepage/store"
	"samepage/views"
	"samepage/web/wire"
)

// journalPart is the number of journal entries that are read at once for a file. Each part counts as one read against
// the limits.
var journalPart = 2000

type journalFile struct {
	suffix, media string
	head          func(*bytes.Buffer) error // writes the text before the first entry
	entry         func(*bytes.Buffer, *store.Entry) error
}

var journalFiles = []journalFile{
	{"csv", "text/csv; charset=utf-8; header=present", func(b *bytes.Buffer) error {
		return writeRow(b, views.EntryColumns)
	}, func(b *bytes.Buffer, e *store.Entry) error { return writeRow(b, views.EntryCells(e)) }},
	{"jsonl", "application/jsonl; charset=utf-8", func(*bytes.Buffer) error { return nil },
		func(b *bytes.Buffer, e *store.Entry) error { return json.NewEncoder(b).Encode(views.EntryData(e)) }},
}

// writeRow writes one row of CSV. It puts an apostrophe before a cell that a spreadsheet would treat as a formula
// because of its first character.
func writeRow(b *bytes.Buffer, cells []string) error {
	for i, c := range cells {
		if c != "" && strings.IndexByte("=+-@\t\r", c[0]) >= 0 {
			cells[i] = "'" + c
		}
	}
	w := csv.NewWriter(b)
	w.UseCRLF = true
	if err := w.Write(cells); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// takeJournal returns the handler that answers with the entries of an organization's journal that the query selects,
// newest first. It reads the entries in parts, so that a long journal needs little memory. If a part after the first
// cannot be read, it cuts the connection, so that the client does not take the file for complete.
func (s *Site) takeJournal(f *journalFile) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reader, query := s.reader(r), r.URL.Query()
		org, before := chi.URLParam(r, "org"), int64(0)
		var out bytes.Buffer
		for begun := false; ; begun = true {
			var list []store.Entry
			err := s.store.Read(r.Context(), func(tx *store.Tx) error {
				by, err := reader(tx)
				if err != nil {
					return err
				}
				o, err := tx.FindOrganization(by, org)
				if err != nil {
					return err
				}
				q := journalQuery(query)
				q.Before, q.Limit = before, journalPart
				p, err := tx.ShowJournal(by, o, q, query.Get("member"))
				if err == nil {
					list = p.Entries
				}
				return err
			})
			if err != nil && begun {
				s.explain(r, err) // logs the error
				panic(http.ErrAbortHandler)
			}
			if err != nil {
				s.fail(w, r, err)
				return
			}
			s.setVerbs(list)
			out.Reset()
			if !begun {
				h := w.Header()
				h["Content-Type"], h["Cache-Control"], h["X-Robots-Tag"] = []string{f.media}, wire.PrivateNoCache, wire.NoIndex
				h["Content-Disposition"] = []string{`attachment; filename="journal-` + org + "." + f.suffix + `"`}
				err = f.head(&out)
			}
			for i := range list {
				err = errors.Join(err, f.entry(&out, &list[i]))
			}
			if err == nil {
				err = write(w, out.Bytes())
			}
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			if len(list) < journalPart {
				return
			}
			before = list[len(list)-1].Seq
		}
	}
}

// write sends a part of a long answer. Each part has a time limit of its own.
func write(w http.ResponseWriter, part []byte) error {
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err = w.Write(part)
	return err
}

func journalQuery(query map[string][]string) store.JournalQuery {
	get := func(key string) string {
		if list := query[key]; len(list) > 0 {
			return list[0]
		}
		return ""
	}
	// Text that is not a number gives 0: the list begins with the newest entry.
	before, _ := strconv.ParseInt(get("before"), 10, 64)
	return store.JournalQuery{Studio: get("studio"), Action: get("action"), Kind: get("kind"),
		Agents: get("by") == "agent", People: get("by") == "people", Before: before, Limit: 30}
}
