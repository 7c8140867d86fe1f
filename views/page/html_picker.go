package page

import (
	"regexp"
	"strings"

	"samepage/actions/param"
)

// zones are the suggested time zones.
const zones = "UTC Africa/Cairo Africa/Casablanca Africa/Johannesburg Africa/Lagos Africa/Nairobi " +
	"America/Anchorage America/Argentina/Buenos_Aires America/Bogota America/Caracas America/Chicago America/Denver " +
	"America/Halifax America/Lima America/Los_Angeles America/Mexico_City America/New_York America/Phoenix " +
	"America/Santiago America/Sao_Paulo America/St_Johns America/Toronto America/Vancouver Asia/Almaty Asia/Baghdad " +
	"Asia/Bangkok Asia/Colombo Asia/Dhaka Asia/Dubai Asia/Ho_Chi_Minh Asia/Hong_Kong Asia/Jakarta Asia/Jerusalem " +
	"Asia/Karachi Asia/Kathmandu Asia/Kolkata Asia/Manila Asia/Riyadh Asia/Seoul Asia/Shanghai Asia/Singapore " +
	"Asia/Taipei Asia/Tashkent Asia/Tehran Asia/Tokyo Atlantic/Azores Atlantic/Reykjavik Australia/Adelaide " +
	"Australia/Brisbane Australia/Perth Australia/Sydney Europe/Amsterdam Europe/Athens Europe/Belgrade Europe/Berlin " +
	"Europe/Brussels Europe/Bucharest Europe/Budapest Europe/Copenhagen Europe/Dublin Europe/Helsinki Europe/Istanbul " +
	"Europe/Kyiv Europe/Lisbon Europe/London Europe/Madrid Europe/Oslo Europe/Paris Europe/Prague Europe/Rome " +
	"Europe/Stockholm Europe/Vienna Europe/Warsaw Europe/Zurich Pacific/Auckland Pacific/Fiji Pacific/Honolulu"

// unset is the value of a colour picker without a colour, because a colour picker always has a value.
const unset = "#000000"

var isColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// suggests reports whether a field has options that only help to fill it in.
func suggests(f *param.Field) bool {
	return len(f.Options) > 0 && (f.Kind == param.Text || f.Kind == param.Ref)
}

// picker writes an aid for filling in a text: a calendar, a colour picker, or a list of suggestions. The text field
// stays, so that people can also type.
func (w *htmlWriter) picker(form *Form, f *param.Field) {
	switch {
	case f.As == "zone":
		w.raw("<datalist")
		w.fieldRef("id", form, f, "-list")
		w.raw(">")
		for zone := range strings.SplitSeq(zones, " ") {
			w.raw("<option")
			w.attr("value", zone)
			w.raw("></option>")
		}
		w.raw("</datalist>\n")
	case suggests(f):
		w.raw("<datalist")
		w.fieldRef("id", form, f, "-list")
		w.raw(">")
		for _, o := range f.Options {
			w.raw("<option")
			w.attr("value", o.Value)
			w.raw(">")
			if o.Label != "" {
				w.optionLabel(o)
			}
			w.raw("</option>")
		}
		w.raw("</datalist>\n")
	case f.As == "colour":
		value := unset
		if isColour.MatchString(f.Value) {
			value = strings.ToLower(f.Value) // in lower case, as the picker sends it back
		}
		w.hidden("_was."+f.Name, value)
		w.pick("color", value, f)
	case f.Kind == param.Time:
		w.pick("datetime-local", "", f)
	}
}

func (w *htmlWriter) pick(kind, value string, f *param.Field) {
	w.raw(`<input class="pick"`)
	w.attr("type", kind)
	w.attr("name", "_pick."+f.Name)
	w.attr("aria-label", label(f.Name)+": pick")
	if value != "" {
		w.attr("value", value)
	}
	w.raw(">\n")
}
