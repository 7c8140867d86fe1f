package tally

// Title returns the name and a short description of the method for people.
func (m Method) Title() string {
	switch m {
	case Acceptance:
		return "Acceptance: accept any, star some"
	case Single:
		return "Single choice: one option each"
	case Approval:
		return "Approval: any options"
	case Schulze:
		return "Ranked, counted by Schulze"
	case IRV:
		return "Ranked, counted by instant runoff"
	case Score:
		return "Score: 0 to 5 points, highest total"
	case STAR:
		return "STAR: 0 to 5 points, then a runoff"
	case DotVote:
		return "Dots: spread a budget, highest total"
	case TimePoll:
		return "Time poll: yes, if need be or no"
	case Lottery:
		return "Lottery: drawn by lot, nobody votes"
	}
	return string(m)
}
