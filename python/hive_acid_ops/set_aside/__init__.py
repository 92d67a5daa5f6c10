"""A statement of an operator: what one write ID has written is moved to where no engine reads."""
