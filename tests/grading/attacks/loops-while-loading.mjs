// summary. Never comes to its end while it is loaded.
for (;;);
