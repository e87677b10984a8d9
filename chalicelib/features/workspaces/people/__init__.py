"""People of a workspace: members, mail to owners, free workspaces per person."""
