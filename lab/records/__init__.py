"""Records of what was measured: data, arithmetic and storage; nothing here starts a process."""
