await null;
throw new Error("late");
