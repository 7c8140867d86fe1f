package account

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"html"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"

	"samepage/store"
	"samepage/views/page"
)

// Letter is the content of a mail.
type Letter struct {
	Subject string
	Text    string
	HTML    string // the same content as HTML; empty for a mail of plain text
	ID      string // for the Message-ID; equal at every attempt, so that duplicates can be recognized; random if empty
	Stop    string // URL for unsubscribing without signing in (RFC 8058); empty if that is not possible
}

// message returns a mail in the form of RFC 5322. No argument can end a header early, because line ends in headers
// become spaces.
func (m *SMTP) message(to string, l Letter, at time.Time) []byte {
	var b bytes.Buffer
	oneLine := strings.NewReplacer("\r", " ", "\n", " ")
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, oneLine.Replace(value)) }
	header("From", m.from.String())
	header("To", (&mail.Address{Address: to}).String())
	header("Subject", mime.QEncoding.Encode("utf-8", oneLine.Replace(l.Subject)))
	header("Date", at.Format(time.RFC1123Z))
	header("Message-ID", "<"+cmp.Or(l.ID, store.NewID()+store.NewID())+"@"+
		m.from.Address[strings.LastIndexByte(m.from.Address, '@')+1:]+">")
	header("Auto-Submitted", "auto-generated")
	if l.Stop != "" {
		header("List-Unsubscribe", "<"+l.Stop+">")
		header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	header("MIME-Version", "1.0")
	part := func(kind, text string) {
		header("Content-Type", "text/"+kind+"; charset=utf-8")
		header("Content-Transfer-Encoding", "quoted-printable")
		b.WriteString("\r\n")
		q := quotedprintable.NewWriter(&b)
		q.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))) // a write to a buffer never fails
		q.Close()
	}
	if l.HTML == "" {
		part("plain", l.Text)
		return b.Bytes()
	}
	boundary := rand.Text()
	header("Content-Type", `multipart/alternative; boundary="`+boundary+`"`)
	for _, p := range [][2]string{{"plain", l.Text}, {"html", l.HTML}} {
		b.WriteString("\r\n--" + boundary + "\r\n")
		part(p[0], p[1])
	}
	b.WriteString("\r\n--" + boundary + "--\r\n")
	return b.Bytes()
}

// tidings is the content of a mail with several entries. Members may have written the texts.
type tidings struct {
	subject string
	parts   []tidingsPart
	foot    []tiding
	stop    string
}

type tidingsPart struct {
	title string
	list  []tiding
}

// tiding is one entry: a sentence, the absolute URL to which the sentence links, and words after the sentence. The URL
// and the words may be empty.
type tiding struct{ text, url, beside string }

// letter returns the content as plain text and as HTML. The HTML loads no picture or other file, so that no server
// learns when the mail is opened.
func (t *tidings) letter() Letter {
	var text, doc strings.Builder
	doc.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
		html.EscapeString(t.subject) +
		"</title></head>\n<body style=\"font-family:sans-serif;line-height:1.5;max-width:40em\">\n")
	for _, p := range t.parts {
		title := visible(p.title)
		text.WriteString(title + "\n\n")
		doc.WriteString("<h2 style=\"font-size:1.1em\">" + html.EscapeString(title) + "</h2>\n<ul>\n")
		for _, one := range p.list {
			one.write(&text, &doc)
		}
		text.WriteString("\n")
		doc.WriteString("</ul>\n")
	}
	text.WriteString("-- \n")
	doc.WriteString("<hr>\n<ul style=\"color:#555;font-size:.9em\">\n")
	for _, one := range t.foot {
		one.write(&text, &doc)
	}
	doc.WriteString("</ul>\n</body></html>\n")
	return Letter{Subject: t.subject, Text: text.String(), HTML: doc.String(), Stop: t.stop}
}

func (t tiding) write(text, doc *strings.Builder) {
	says := visible(t.text)
	text.WriteString("- " + says)
	says = html.EscapeString(says)
	if t.url != "" {
		says = `<a href="` + html.EscapeString(t.url) + `">` + says + `</a>`
	}
	doc.WriteString("<li>" + says)
	if t.beside != "" {
		text.WriteString(", " + t.beside)
		doc.WriteString(", " + html.EscapeString(t.beside))
	}
	if t.url != "" {
		text.WriteString("\n  " + t.url)
	}
	text.WriteString("\n")
	doc.WriteString("</li>\n")
}

// visible returns a text of members on one line of at most about 300 bytes, with [page.Visible].
func visible(text string) string { return clip(page.Visible(text), 300) }
