"""Preference pairs in, an adapter out: DPO on a frozen base model, in a run that can be killed."""
