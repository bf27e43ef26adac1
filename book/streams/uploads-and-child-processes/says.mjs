// says.mjs HOW: prints a mebibyte, and leaves at once if HOW is exit.
process.stdout.write("x".repeat(2 ** 20));
if (process.argv[2] === "exit") process.exit();
