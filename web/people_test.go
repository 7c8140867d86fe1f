package web_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/web/webtest"
)

// onlyPeople lists the actions that no token may ever take. The value is the reason in short, mostly the subject that
// is left to people. The list was written by hand, and not derived from the declarations of the actions.
var onlyPeople = map[string]string{
	"create_studio": "studios", "update_studio": "studios", "archive_studio": "studios",
	"add_member": "members", "remove_from_studio": "members", "change_visibility": "studios",
	"create_role": "roles", "assign_role": "roles", "update_role": "roles", "vacate_role": "roles",
	"mirror_role": "roles", "stop_mirroring": "roles", "delete_role": "roles",
	"create_organization": "organizations", "transfer_ownership": "organizations", "invite_member": "invitations",
	"revoke_invitation": "invitations",
	"change_previews":   "what gets out", "copy_link": "what gets out", "revoke_link": "what gets out",
	"change_password": "logins", "change_email": "logins", "cancel_email_change": "logins",
	"end_login": "logins", "end_other_logins": "logins",
	"rename_passkey": "logins", "remove_passkey": "logins", "remove_password": "logins", "remove_provider": "logins",
	"leave_organization": "members", "remove_member": "members", "erase_member": "members",
	"update_settings": "organizations", "update_limits": "limits", "update_profile": "members",
	"choose_notifications": "what a person learns of", "choose_studio_notifications": "what a person learns of",
	"set_quiet_hours": "what a person learns of", "end_quiet_hours": "what a person learns of",
	"set_zone":   "what a person learns of",
	"set_digest": "what a person learns of", "end_digest": "what a person learns of",
	"create_token": "tokens", "pause_token": "tokens", "resume_token": "tokens", "revoke_token": "tokens",
	"pause_agent": "tokens", "resume_agent": "tokens", "revoke_agent": "tokens",
	"create_webhook": "webhooks", "update_webhook": "webhooks", "delete_webhook": "webhooks",
	"pause_webhook": "webhooks",
	"set_webhook":   "webhooks", "change_address": "webhooks",
	"resume_webhook": "webhooks", "rotate_secret": "webhooks", "send_test": "webhooks", "redeliver_event": "webhooks",
	"approve_request": "approving", "reject_request": "approving",
	"close_decision": "what others decide in", "cast_deciding_vote": "what others decide in",
	"close_commitment": "what others decide in",
	"advance_topic":    "what others decide in", "step_back": "what others decide in",
	"accept_topic":   "what others decide in",
	"withdraw_topic": "what others decide in", "escalate_topic": "what others decide in",
	"rule_invalid":     "what others decide in",
	"advance_election": "what others decide in", "propose_candidate": "what others decide in",
	"elect_candidate": "what others decide in", "end_election": "what others decide in",
	"cancel_election":  "what others decide in",
	"import_decisions": "what others decide in", "import_ballots": "what others decide in",
	"create_runner": "runners", "update_runner": "runners", "stop_runner": "runners", "start_runner": "runners", "renew_runner": "runners",
	"add_repo":     "runners",
	"remove_repo":  "runners",
	"add_manifest": "programs on a machine", "revise_manifest": "programs on a machine",
	"retire_manifest":   "programs on a machine",
	"answer_permission": "approving", "add_permission_rule": "approving",
	"withdraw_permission_rule": "approving", "extend_reviews": "approving",
	"update_repo": "what a merge needs", "set_trigger": "what agents are told", "start_card": "approving", "dismiss_card": "approving",
	"set_check":       "names a program that runs on the machine of a runner",
	"set_environment": "names programs that run on the machine of a runner",
	"comment_line":    "comments on lines, which agents give with their answer",
	"create_policy":   "policies", "edit_policy": "policies", "change_policy_owner": "policies",
	"retire_policy":    "policies",
	"reinstate_policy": "policies",
	"delete_note":      "deleting what others read", "delete_message": "deleting what others read",
	"send_direct_message": "direct messages", "edit_direct_message": "direct messages",
	"delete_direct_message": "direct messages",
	"redact":                "deleting what others read",
}

// TestOnlyPeople checks that every action of every route is either in onlyPeople and declared for people only, or open
// to tokens and declared with a scope.
func TestOnlyPeople(t *testing.T) {
	found := map[string]bool{}
	for _, p := range webtest.New(t).Site.Places() {
		for _, a := range p.Actions {
			if a.HumanOnly {
				found[a.Name] = true
			}
			if a.HumanOnly != (onlyPeople[a.Name] != "") {
				t.Errorf("%s on %s: for people only is %t; say why in the table, or declare it", a.Name,
					p.Pattern, a.HumanOnly)
			}
			if !a.HumanOnly && a.Scope != store.ScopeRunner && !slices.Contains(store.Scopes(), a.Scope) {
				t.Errorf("%s on %s: no scope", a.Name, p.Pattern)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(onlyPeople)) {
		if !found[name] {
			t.Errorf("%s is on no page", name)
		}
	}
}

// TestActionsAreNamedByOnePattern checks that the name of an action is a verb and a noun, or a verb alone if several
// kinds of subjects have the action.
func TestActionsAreNamedByOnePattern(t *testing.T) {
	nouns := map[string]map[string]bool{}
	for _, p := range webtest.New(t).Site.Places() {
		noun, _, _ := strings.Cut(strings.TrimPrefix(p.Pattern, "/studios/{studio}"), "{")
		for _, a := range p.Actions {
			if nouns[a.Name] == nil {
				nouns[a.Name] = map[string]bool{}
			}
			nouns[a.Name][noun] = true
		}
	}
	for name, on := range nouns {
		if !strings.Contains(name, "_") && len(on) < 2 {
			t.Errorf("%s is only on %v: name its noun, too", name, slices.Collect(maps.Keys(on)))
		}
	}
}
