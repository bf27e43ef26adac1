// The check of an exercise on the model: `t` with hand-ins that run on another machine. It runs in an engine itself, so that the
// check has Node's own Buffer, `inspect` and clock, in the same virtual time. What it asks of the host: `start`, `use`, `kill` a
// hand-in, `tell` it a frame; what the host says: `said` by a hand-in, `printed`, `ended`.
import { Assertions, generator } from "../../node/grader/assertions.mjs";
import { calling, Watched } from "../../node/grader/conversation.mjs";
import { decide } from "../../node/grader/verdicts.mjs";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LETTERS_OF_TOKEN = 12;
const STUCK_MS = 1e9; // what a program has computed that computes without end

let ask; // sends the host something
const programs = new Map();

/** The model lacks something that the check needs: nothing is decided. */
function lack(what) {
  ask({ lacks: what });
  return new Promise(() => {});
}

/** A program on the model of Node. */
class Program extends Watched {
  constructor(job, program) {
    super(job, "your program");
    this.id = programs.size;
    this.program = program;
    this.file = program === job.handIn ? job.file : program;
    this.at = { hand: "/hand", work: "/own" };
    this.work = this.at.work;
    this.ended = new Promise((resolve) => {
      this.close = resolve;
    });
    programs.set(this.id, this);
    job.started.add(this);
  }
  send(frame) {
    const { syntax } = this.job.programs[this.program];
    if (frame.do === "load" && syntax) {
      const error = { $: "error", name: "SyntaxError", message: syntax.message, stack: "" };
      setImmediate(() => this.receive({ done: frame.id, error }));
    } else ask({ tell: this.id, frame });
  }
  source() {
    return this.job.programs[this.program].source;
  }
  wrongLine() {
    return this.job.programs[this.program].syntax?.line;
  }
  computed() {
    return this.isStuck ? STUCK_MS : 0;
  }
  starved() {
    return false;
  }
  alone() {}
  use() {
    ask({ use: this.id });
  }
  beside(other) {
    ask({ beside: [this.id, other.id] });
  }
  kill() {
    ask({ kill: this.id });
  }
  async stop() {
    this.kill();
    await this.ended;
  }
}
// What only the sandbox tells of a process.
const OF_A_PROCESS = {
  memory: "the memory of a process",
  threads: "the threads of a process",
  descriptors: "the descriptors of a process",
  faults: "the page faults of a process",
  cpu: "the processor time of a process",
  put: "files of the check",
  read: "files of the check",
  signal: "signals",
  listens: "clients from outside",
  family: "child processes",
};
for (const [name, what] of Object.entries(OF_A_PROCESS))
  Program.prototype[name] = {
    [name]() {
      throw new Lack(what);
    },
  }[name];

class Lack extends Error {
  constructor(what) {
    super(what);
    lack(what);
  }
}

const KNOWN_OPTIONS = ["reference", "locked"];
const OPTIONS = { env: "the environment of a process", nodeArgs: "flags of Node" };

class Module extends calling(Program) {
  static async start(job, program, { scene, load = true, ...options } = {}) {
    for (const name of Object.keys(options))
      if (!KNOWN_OPTIONS.includes(name)) await lack(OPTIONS[name] ?? `the option ${name}`);
    if (scene !== undefined) await lack("several scenes");
    if (!(program in job.programs)) await lack("programs to compare a hand-in with");
    const again = program;
    if (load && job.endless.has(again)) throw job.endless.get(again);
    const module = new Module(job, program);
    module.again = again;
    const ready = new Promise((resolve) => {
      module.ready = resolve;
    });
    ask({ start: module.id, program });
    await module.within(ready, 10, "Node did not start");
    if (load) await module.load();
    return module;
  }
}

class Bench extends Assertions {
  module(options = {}) {
    const { reference } = options;
    return Module.start(this.job, reference ?? this.job.handIn, options);
  }
  token() {
    return Array.from({ length: LETTERS_OF_TOKEN }, () => this.job.chance.pick(LETTERS)).join("");
  }
}
const OF_A_CHECK = {
  server: "clients from outside",
  program: "programs that run to their end",
  get: "clients from outside",
  clients: "clients from outside",
  ratio: "the processor time of a process",
  fifo: "named pipes",
  before: "the memory of a process",
  shared: "clients from outside",
  digest: "hashes",
};
for (const [name, what] of Object.entries(OF_A_CHECK))
  Bench.prototype[name] = { [name]: () => lack(what) }[name];

/** Decides all criteria of the job, and tells the host: `said`, a criterion each, and `over`. */
export function judge(job, channel, check) {
  ask = (message) => channel.send(JSON.stringify(message));
  Object.assign(job, {
    handIn: "hand-in",
    started: new Set(),
    endless: new Map(),
    chance: generator(job.seed ^ 0x5bd1e995),
    scratch: "/nowhere",
  });
  const does = {
    said: ({ said: id, frame }) => programs.get(id).receive(frame),
    printed({ printed: id, stdout, stderr }) {
      const { output } = programs.get(id);
      for (const [name, text] of Object.entries({ stdout, stderr }))
        output[name] = Buffer.concat([output[name], Buffer.from(text)]);
    },
    stuck: ({ stuck: id }) => {
      programs.get(id).isStuck = true;
    },
    ended({ ended: id, code, signal }) {
      const program = programs.get(id);
      program.end = { code, signal };
      program.close(program.end);
    },
  };
  channel.hear((text) => {
    const message = JSON.parse(text);
    does[Object.keys(message)[0]](message);
  });
  process.on("unhandledRejection", () => {}); // of a criterion that was left
  decide(
    job,
    check,
    (each) => new Bench(each),
    (said) => ask({ criterion: said }),
  ).then(
    (t) => {
      ask({ over: { series: t.series, seen: t.seen } });
      channel.unref();
    },
    (error) => ask({ fault: String(error?.stack ?? error) }),
  );
}
