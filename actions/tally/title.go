package tally

// Title names the method for people who choose one.
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
	}
	return string(m)
}
