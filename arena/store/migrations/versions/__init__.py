"""One file a schema change; none is edited after its release."""
