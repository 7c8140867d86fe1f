package account_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"samepage/store/credential"
	"samepage/web/webtest"
)

// device is an authenticator in memory with one passkey.
type device struct {
	key     *ecdsa.PrivateKey
	id      []byte
	user    []byte
	counter uint32
	flags   byte   // flags that the user is present and verified
	origin  string // origin that the browser reports
}

func newDevice() *device {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return &device{key: key, id: []byte(rand.Text()), flags: 0x05, origin: webtest.Origin}
}

// data returns the authenticator data (WebAuthn §6.1).
func (d *device) data(attested []byte) []byte {
	site := sha256.Sum256([]byte("samepage.example"))
	flags := d.flags
	if attested != nil {
		flags |= 0x40
	}
	return append(binary.BigEndian.AppendUint32(append(site[:], flags), d.counter), attested...)
}

func (d *device) client(kind, challenge string) []byte {
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin,
		"crossOrigin": false})
	return text
}

var encode = base64.RawURLEncoding.EncodeToString

// make returns the answer to the options for a new passkey.
func (d *device) make(challenge string) map[string]any {
	public, _ := d.key.PublicKey.Bytes()
	cose, _ := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:]})
	attested := append(make([]byte, 16), binary.BigEndian.AppendUint16(nil, uint16(len(d.id)))...)
	object, _ := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{},
		"authData": d.data(append(append(attested, d.id...), cose...))})
	return map[string]any{"id": encode(d.id), "rawId": encode(d.id), "type": "public-key",
		"clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": encode(d.client("webauthn.create", challenge)),
			"attestationObject": encode(object)}}
}

// sign returns the answer to the options for signing in.
func (d *device) sign(challenge string) map[string]any {
	client, data := d.client("webauthn.get", challenge), d.data(nil)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature, _ := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	return map[string]any{"id": encode(d.id), "rawId": encode(d.id), "type": "public-key",
		"clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": encode(client), "authenticatorData": encode(data),
			"signature": encode(signature), "userHandle": encode(d.user)}}
}

// offeredOptions are the options that the server sends to the script.
type offeredOptions struct {
	Sealed  string
	Options struct {
		PublicKey struct {
			Challenge        string
			UserVerification string
			User             struct{ ID string }
		}
	}
}

// scripted sends JSON, as the script of the page does.
func scripted(t *testing.T, w *webtest.World, path string, body any, cookie *http.Cookie) *webtest.Response {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	headers := []string{webtest.JSONMedia}
	if cookie != nil {
		headers = append(headers, "Cookie: "+cookie.Name+"="+cookie.Value)
	}
	return webtest.RequestBody(w.As("anonymous"), "POST", path, string(text), headers...)
}

func options(t *testing.T, w *webtest.World, path string, cookie *http.Cookie) (o offeredOptions) {
	t.Helper()
	if r := scripted(t, w, path, nil, cookie); r.Status != 200 || json.Unmarshal([]byte(r.Body), &o) != nil ||
		o.Options.PublicKey.Challenge == "" {
		t.Fatalf("%s: %d %s", path, r.Status, r.Body)
	}
	return o
}

// added returns a device with a passkey that Bob has added to his account.
func added(t *testing.T, w *webtest.World) *device {
	t.Helper()
	bob := w.Browser(t, "bob@acme.example")
	d, o := newDevice(), options(t, w, credential.AccountURL+"/passkeys/options", bob.Cookie)
	d.user, _ = base64.RawURLEncoding.DecodeString(o.Options.PublicKey.User.ID)
	answer := map[string]any{"sealed": o.Sealed, "answer": d.make(o.Options.PublicKey.Challenge)}
	if r := scripted(t, w, credential.AccountURL+"/passkeys", answer, bob.Cookie); r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := scripted(t, w, credential.AccountURL+"/passkeys", answer, bob.Cookie); r.Status == 200 {
		t.Error("the same answer adds it twice")
	}
	return d
}

func TestPasskeyLogin(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	d := added(t, w)
	before := w.Digests()
	o := options(t, w, "/login/passkey/options", nil)
	if changed := webtest.Changed(before, w.Digests()); changed != nil ||
		o.Options.PublicKey.UserVerification != "required" {
		t.Errorf("asking for options changed %v; %+v", changed, o)
	}
	d.counter = 7
	answer := map[string]any{"sealed": o.Sealed, "answer": d.sign(o.Options.PublicKey.Challenge)}
	r := scripted(t, w, "/login/passkey?next=/whoami", answer, nil)
	c, err := http.ParseSetCookie(r.Header.Get("Set-Cookie"))
	if r.Status != 200 || err != nil || w.SignedIn(c) != "@bob" || !strings.Contains(r.Body, `"url":"/whoami"`) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	if r := scripted(t, w, "/login/passkey", answer, nil); r.Status == 200 {
		t.Error("the same answer signs in twice")
	}
}

// TestPasskeyRefused checks that every passkey that cannot sign in gets the same answer and changes nothing.
func TestPasskeyRefused(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	d := added(t, w)
	d.counter = 7
	o := options(t, w, "/login/passkey/options", nil)
	if r := scripted(t, w, "/login/passkey",
		map[string]any{"sealed": o.Sealed, "answer": d.sign(o.Options.PublicKey.Challenge)},
		nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	right := *d
	d.counter++
	first := ""
	for name, bend := range map[string]func(d *device, o *offeredOptions){
		"another site":    func(d *device, _ *offeredOptions) { d.origin = "https://evil.example" },
		"nobody verified": func(d *device, _ *offeredOptions) { d.flags = 0x01 },
		"nobody there":    func(d *device, _ *offeredOptions) { d.flags = 0x04 },
		"another challenge": func(_ *device, o *offeredOptions) {
			o.Options.PublicKey.Challenge = encode(make([]byte, 32))
		},
		"another key":        func(d *device, _ *offeredOptions) { d.key = newDevice().key },
		"an unknown passkey": func(d *device, _ *offeredOptions) { d.id = []byte("unknown") },
		"another user":       func(d *device, _ *offeredOptions) { d.user = []byte("somebody") },
		"a copy of it":       func(d *device, _ *offeredOptions) { d.counter = 3 },
		"the same counter":   func(d *device, _ *offeredOptions) { d.counter = 7 },
	} {
		bent, o := right, options(t, w, "/login/passkey/options", nil)
		bent.counter++
		bend(&bent, &o)
		before := w.Digests()
		r := scripted(t, w, "/login/passkey",
			map[string]any{"sealed": o.Sealed, "answer": bent.sign(o.Options.PublicKey.Challenge)}, nil)
		if changed := webtest.Changed(before, w.Digests()); r.Status != 403 || r.Header.Get("Set-Cookie") != "" ||
			changed != nil {
			t.Errorf("%s: %d %s, changed %v", name, r.Status, r.Body, changed)
		}
		if first == "" {
			first = r.Body
		}
		if r.Body != first {
			t.Errorf("%s: %s, and not %s", name, r.Body, first)
		}
	}
	bob := w.Browser(t, "bob@acme.example")
	adding := options(t, w, credential.AccountURL+"/passkeys/options", bob.Cookie)
	for name, sealed := range map[string]string{"nothing sealed": "",
		"sealed elsewhere": o.Sealed[:len(o.Sealed)-2] + "xx", "for another purpose": adding.Sealed} {
		if r := scripted(t, w, "/login/passkey", map[string]any{"sealed": sealed,
			"answer": d.sign(adding.Options.PublicKey.Challenge)}, nil); r.Status != 409 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	late := options(t, w, "/login/passkey/options", nil)
	w.Clock.Advance(11 * time.Minute)
	if r := scripted(t, w, "/login/passkey", map[string]any{"sealed": late.Sealed,
		"answer": d.sign(late.Options.PublicKey.Challenge)}, nil); r.Status != 409 {
		t.Errorf("too late: %d", r.Status)
	}
	if r := webtest.Request(w.As("anonymous"), "POST", credential.AccountURL+"/passkeys/options",
		webtest.JSONMedia); r.Status != 401 {
		t.Errorf("options for nobody's passkey: %d", r.Status)
	}
	if r := webtest.Request(w.As("scribe"), "POST", credential.AccountURL+"/passkeys/options",
		webtest.JSONMedia); r.Status != 404 {
		t.Errorf("options for an agent's: %d", r.Status)
	}
	w.Clock.Advance(5 * time.Minute)
	if r := scripted(t, w, credential.AccountURL+"/passkeys/options", nil, bob.Cookie); r.Status != 403 ||
		webtest.ProblemOf(t, r).Error.Code != "unproved" {
		t.Errorf("options without proof: %d %s", r.Status, r.Body)
	}
}

// TestPasskeyWithoutDatabase expects another answer than a refusal if the passkey could not be checked.
func TestPasskeyWithoutDatabase(t *testing.T) {
	t.Parallel()
	w := webtest.New(t)
	d := added(t, w)
	o := options(t, w, "/login/passkey/options", nil)
	d.counter = 7
	text, err := json.Marshal(map[string]any{"sealed": o.Sealed, "answer": d.sign(o.Options.PublicKey.Challenge)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that the transaction does not begin
	q := httptest.NewRequestWithContext(ctx, "POST", webtest.Origin+"/login/passkey", bytes.NewReader(text))
	q.Header.Set("Content-Type", "application/json")
	if r := w.As("anonymous").Do(q); r.Status != http.StatusServiceUnavailable || strings.Contains(r.Body, "passkey") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := scripted(t, w, "/login/passkey", json.RawMessage(text), nil); r.Status != 200 {
		t.Errorf("with a database: %d %s", r.Status, r.Body)
	}
}
