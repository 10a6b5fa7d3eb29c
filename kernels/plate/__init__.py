"""Heat and waves on a plate: the lab of that name."""
