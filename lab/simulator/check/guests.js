// Guests of a machine: programs that go on from call to call and talk with the host, of which one at a time has the engine's memory.

export class Guests {
  #machine;
  #current = null;

  /** The model is {NotModelledError, complete}. */
  constructor(machine, model) {
    this.#machine = machine;
    this.model = model;
  }

  /**
   * Begins a program whose main function is the first of `texts`, [[file, text]], each an expression; it is called with `require`,
   * `config` (plain data), its channel and the values of the other texts. What is returned stands for it in `advance`.
   */
  open({ files = {}, cwd = "/" }, config, texts) {
    this.#suspend();
    const machine = this.#machine;
    const { engine } = machine;
    const words = texts.map(([, text]) => text);
    const program = { source: "", file: "/check.cjs", kind: "cjs", files, cwd, texts: words };
    machine.restart(program, false);
    const { isWatched } = machine;
    const plan = { schedule: {}, mostMs: 0, isWatched, hasStores: isWatched, draw: 0, last: -1 };
    const guest = { program };
    return machine.told(() => {
      const list = engine.call(machine.openGuest);
      const at = (index) => engine.ffi.QTS_GetPropNumber(engine.context, list, index);
      [guest.advance, guest.takeNews] = [at(1), at(2)];
      const given = engine.evaluate(`(${JSON.stringify({ plan, config })})`, "config.js");
      const functions = texts.map(([file, text]) =>
        engine.evaluate(this.model.complete(machine.acorn, `(${text})`, false).text, file),
      );
      engine.call(at(0), [given, ...functions]);
      this.#current = guest;
      return guest;
    });
  }

  /**
   * Goes on with a guest, with messages that come at the time `at`, until it has nothing to do before the time `limit`, has sent
   * something, or has computed for a while: {sent, printed, time, wakesAt, code}, `code` once it has ended. `isStuck` says that one
   * round of its loop took too long; it is not to go on then. Throws NotModelledError.
   */
  advance(guest, limit, messages = [], at = 0) {
    const machine = this.#machine;
    const { engine } = machine;
    if (this.#current !== guest) {
      this.#suspend();
      engine.restore(guest.state);
      this.#current = guest;
    }
    machine.goOn(guest.program);
    const given = JSON.stringify([Math.min(limit, Number.MAX_SAFE_INTEGER), messages, at]);
    try {
      return this.#ask(guest.advance, [engine.string(given)]);
    } catch (error) {
      if (!machine.isLate) throw error;
      machine.goOn(guest.program);
      return { ...this.#ask(guest.takeNews, []), isStuck: true, wakesAt: null, code: null };
    }
  }

  /** That guest does not run again, so its memory is not kept. */
  close(guest) {
    if (this.#current === guest) this.#current = null;
    guest.state = null;
  }

  /** What a function of the guest's answers, as it is called with values of the engine. */
  #ask(asked, values) {
    const machine = this.#machine;
    const { engine } = machine;
    return machine.told(() => {
      const answer = engine.call(asked, values);
      const result = JSON.parse(engine.text(answer));
      for (const value of [...values, answer]) engine.free(value);
      if (machine.refusal) throw new this.model.NotModelledError(machine.refusal);
      return result;
    });
  }

  #suspend() {
    if (this.#current) this.#current.state = this.#machine.engine.snapshot();
    this.#current = null;
  }
}
