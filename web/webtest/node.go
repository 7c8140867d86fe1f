package webtest

import (
	"cmp"
	"log/slog"
	"maps"

	"samepage/store"
	"samepage/store/credential"
	"samepage/store/pgtest"
	"samepage/web"
)

// Node returns the world as a second server process would serve it, with its own connection to the database. The
// database must be on a server.
func (w *World) Node(change ...func(*web.Config)) *World {
	w.t.Helper()
	n := *w
	n.serve(w.where, change...)
	return &n
}

// On returns the world on the database in another folder, which must be a copy of the world's database.
func (w *World) On(folder string) *World {
	w.t.Helper()
	n := *w
	n.where, n.past, n.keys = folder, nil, ""
	n.serve(folder)
	return &n
}

// Beside returns the world served by another server on the same database. Without a database server, both share one
// open store.
func (w *World) Beside(change ...func(*web.Config)) *World {
	w.t.Helper()
	if store.OnServer(w.where) {
		return w.Node(change...)
	}
	n := *w
	n.site(change...)
	return &n
}

// Moved returns the world on the database at where. It calls move to transfer the organizations there, and signs all
// people in again.
func (w *World) Moved(where string, move func(from, to *store.Store)) *World {
	w.t.Helper()
	n := *w
	n.where, n.past = where, nil
	// With the same keys and preview secret as before, the hidden fields of forms and the links with previews stay the
	// same.
	n.keys = w.Store.KeysFile()
	to, err := store.Open(w.t.Context(), where, store.Options{Clock: w.Clock.Now, Keys: n.keys})
	w.must(err)
	move(w.Store, to)
	n.secrets, n.names = maps.Clone(w.secrets), maps.Clone(w.names)
	var key []byte
	w.must(w.Store.Read(w.t.Context(), func(tx *store.Tx) (err error) {
		key, err = tx.Instance(store.PreviewSecret, nil)
		return err
	}))
	w.must(to.Write(w.t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Instance(store.PreviewSecret, func() []byte { return key }); err != nil {
			return err
		}
		for name, s := range w.secrets {
			if s.login == "" {
				continue
			}
			u, err := tx.UserByEmail(name + "@acme.example")
			if store.CodeOf(err) == store.NotFound {
				u, err = tx.UserByEmail(name + "@globex.example")
			}
			if err != nil {
				return err
			}
			login, err := credential.CreateLogin(tx, u.ID, laptop, tx.Now)
			if err != nil {
				return err
			}
			n.secrets[name] = secret{login: login, user: u.ID}
			n.names[credential.LoginID(login)] = "login-" + name
		}
		return nil
	}))
	w.must(to.Close())
	n.serve(where)
	return &n
}

func (w *World) serve(where string, change ...func(*web.Config)) {
	var err error
	w.Store, err = store.Open(w.t.Context(), where, store.Options{Clock: w.Clock.Now, Keys: cmp.Or(w.keys, pgtest.Keys(where))})
	w.must(err)
	st := w.Store
	w.t.Cleanup(func() { st.Close() })
	w.site(change...)
}

func (w *World) site(change ...func(*web.Config)) {
	config := web.Config{Origin: Origin, Version: "test", Unlimited: true,
		Log: slog.New(slog.NewTextHandler(w.t.Output(), nil))}
	for _, c := range change {
		c(&config)
	}
	var err error
	w.Site, err = web.New(w.t.Context(), w.Store, config)
	w.must(err)
}
