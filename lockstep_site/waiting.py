"""What stands in the place of a table or a picture that no GPU run has filled yet."""

from lockstep.figures import sentence

AWAITING = "awaiting a GPU run"


def awaiting(what: str = "") -> str:
    """Return what stands in the place of a table or a picture that has no measured figures yet."""
    return sentence(f"{AWAITING}: {what}" if what else AWAITING)
