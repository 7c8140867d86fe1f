package store_test

import (
	"slices"
	"strings"
	"testing"

	"samepage/store"
	"samepage/store/db"
)

// ofInstallation lists the tables without an org_id, each with the reason.
var ofInstallation = map[string]string{
	"organizations":         "its id is the org_id of all other tables",
	"instance":              "values of the installation itself",
	"users":                 "a person may be a member of several organizations",
	"logins":                "of a user",
	"passkeys":              "of a user",
	"identities":            "of a user",
	"resets":                "of a user",
	"notification_settings": "of a user",
	"notification_ways":     "of a user",
	"own_webhooks":          "of a user",
	"address_changes":       "of a user",
	"answers":               "of a token or of a login",
	"mails":                 "about an invitation, or about the account of a user",
	"spent":                 "hashes of secrets, of users too",
	"use_counts":            "about tokens, members, organizations and strangers",
	"oauth_clients":         "registered before a member of any organization grants them something",
	"oauth_keys":            "sign the tokens of all organizations",
	"leases":                "on work for all organizations",
	"blobs":                 "files of several organizations may have the same bytes",
}

// withoutReference lists the columns named like a reference that are no foreign key, each with the reason.
var withoutReference = map[string]string{
	"follows.subject_id": "the id of a studio or of an item",
	"journal.member_id":  "an entry stays when the thing that it names is gone, and is empty for nobody",
	"journal.agent_id":   "as journal.member_id",
	"journal.role_id":    "as journal.member_id",
	"journal.token_id":   "as journal.member_id",
	"journal.studio_id":  "as journal.member_id",
	"journal.target_id":  "as journal.member_id",

	"deliveries.leased_by":     "the process that sends it",
	"own_deliveries.leased_by": "the process that sends it",
	"notifications.mail_id":    "a mail is deleted before its notifications",
}

// TestRowsBelongToAnOrganization expects an org_id in every table, and in every reference between such tables. No row
// can then refer to a row of another organization.
func TestRowsBelongToAnOrganization(t *testing.T) {
	var tables []db.TableSchema
	newWorld(t).read(func(tx *store.Tx) (err error) {
		tables, err = tx.Tables()
		return err
	})
	references, free := 0, 0
	for i := range tables {
		table := &tables[i]
		org := table.Column("org_id")
		if reason, named := ofInstallation[table.Name]; named {
			if org != nil || reason == "" {
				t.Errorf("%s has an org_id: take it out of ofInstallation", table.Name)
			}
			if table.Name != "organizations" {
				continue
			}
		} else if org == nil || !org.Required {
			t.Errorf("%s needs a column org_id that is NOT NULL, or a place in ofInstallation with the reason",
				table.Name)
			continue
		}
		for _, k := range table.Keys {
			references++
			if !keepsOrganization(table, k) {
				t.Errorf("%s (%s) refers to %s (%s) without its organization: add org_id to the foreign key",
					table.Name, strings.Join(k.Columns, ", "), k.Table, strings.Join(k.Refers, ", "))
			}
		}
		for _, c := range table.Columns {
			name := table.Name + "." + c.Name
			if c.Name == "org_id" || !strings.HasSuffix(c.Name, "_id") && !strings.HasSuffix(c.Name, "_by") {
				continue
			}
			refers := slices.ContainsFunc(table.Keys,
				func(k db.Reference) bool { return slices.Contains(k.Columns, c.Name) })
			if withoutReference[name] != "" {
				free++
			}
			if refers == (withoutReference[name] != "") {
				t.Errorf("%s needs a foreign key, or else a place in withoutReference with the reason", name)
			}
		}
	}
	if references < 80 || free != len(withoutReference) {
		t.Errorf("%d references were looked at, and %d of %d columns in withoutReference were found", references,
			free, len(withoutReference))
	}
}

// keepsOrganization reports whether the rows at both ends of a reference belong to one organization, or whether the
// referenced row belongs to none.
func keepsOrganization(t *db.TableSchema, k db.Reference) bool {
	own, other := "org_id", "org_id"
	if t.Name == "organizations" {
		own = "id"
	}
	if k.Table == "organizations" {
		other = "id"
	} else if ofInstallation[k.Table] != "" {
		return true
	}
	i := slices.Index(k.Columns, own)
	return i >= 0 && k.Refers[i] == other
}
