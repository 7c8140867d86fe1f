package actions

import (
	"samepage/actions/action"
	"samepage/actions/param"
	"samepage/actions/tally"
	"samepage/store"
	"samepage/store/governance"
)

// ReceiptParams has the receipt of the voter's own ballot in an anonymous vote.
type ReceiptParams struct {
	Receipt string   `param:"receipt,secret,optional"`
	_       struct{} `doc:"The receipt you were shown when you voted. Nothing else knows which ballot is yours."`
}

// receiptField requires the receipt if the actor has cast a ballot in an anonymous vote, and else omits the field.
func receiptField(_ store.Actor, d *governance.Decision) param.Offers {
	return param.Offers{"receipt": receiptOffer(d)}
}

func receiptOffer(d *governance.Decision) *param.Offered {
	mine := d.Anonymous && d.Mine.Voter != ""
	return &param.Offered{Omit: !mine, Required: mine}
}

// checkReceipt returns an error if a required receipt belongs to no ballot of the decision.
func checkReceipt(tx *store.Tx, d *governance.Decision, p ReceiptParams, bad param.Errors) param.Errors {
	if !d.Anonymous || d.Mine.Voter == "" || bad.Has("receipt") {
		return nil
	}
	ok, err := governance.HoldsReceipt(tx, d, p.Receipt)
	switch {
	case err != nil:
		return param.Errors{{Field: "receipt", Message: err.Error()}}
	case !ok:
		return param.Errors{{
			Field:   "receipt",
			Message: "This is not a receipt of this vote. Without it your ballot stays as it is, and counts.",
		}}
	}
	return nil
}

// castSealed casts or replaces a ballot in an anonymous vote. The answer to a new ballot has the receipt, which is
// available nowhere else.
func castSealed(
	tx *store.Tx, by store.Actor, d *governance.Decision, ballot tally.Ballot, p CastVoteParams,
) (action.Done, error) {
	done := action.Done{Message: "Your ballot is replaced.", Echo: echo(d, ballot), Unlinked: true}
	if d.Mine.Voter != "" {
		return done, governance.ReplaceSealed(tx, by, d, p.Receipt, ballot.String(), p.Reason)
	}
	done.Message = nthBallot(d)
	var err error
	done.Secret, err = governance.CastSealed(tx, by, d, ballot.String(), p.Reason)
	return done, err
}
