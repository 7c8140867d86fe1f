// Package asuser lets tests that run as root start programs as a user without privileges, to whom file permissions apply.
package asuser

// Nobody is the id of a user and a group without privileges.
const Nobody = 65534
