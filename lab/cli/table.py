"""Every verb that a terminal knows: where it is at home, what it does, how it is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# What these exit codes mean for every verb.
WRONG_ARGUMENTS, INTERRUPTED = 2, 130
EXITS: Mapping[int, str] = {
    0: "done",
    1: "the command failed, and a message says why",
    WRONG_ARGUMENTS: "the arguments are wrong, and nothing was done",
    INTERRUPTED: "interrupted by Ctrl-C",
}


@dataclass(frozen=True)
class Verb:
    """One verb: its line in the table, what may be typed, its exit codes, how long it takes."""

    name: str
    summary: str
    examples: tuple[str, ...] = ()
    exits: Mapping[int, str] = field(default_factory=dict)
    lasts: str = ""  # how long it takes, where that is worth a line


@dataclass(frozen=True)
class Home:
    """Verbs that share a program, such as `python -m lab.book`."""

    name: str
    summary: str
    verbs: tuple[Verb, ...]
    command: str = ""  # where it is a program of its own

    @property
    def program(self) -> str:
        """What is typed before the verb."""
        return self.command or f"python -m {self.name}"

    def verb(self, name: str) -> Verb:
        """The verb of that name. Raises KeyError."""
        return {verb.name: verb for verb in self.verbs}[name]

    def line(self, verb: Verb) -> str:
        """What is typed to call a verb."""
        return f"{self.program} {verb.name}".rstrip()


CLINIC = (
    Verb(
        "examine",
        "look for problems in your own server under load",
        (
            "examine -- node app.mjs",
            "examine --path /books/7 -- npm start",
            'examine --body \'{"title": "Dune"}\' --path /books -- node app.mjs',
            "examine --scenario shop.json --json -- node app.mjs",
        ),
        {
            0: "no problem was found",
            1: "a problem was found",
            2: "the program was not examined, or only in part; a message says why and what to do",
        },
        "25 to 45 s for a program that responds within milliseconds",
    ),
    Verb(
        "compare",
        "compare two versions of your own server, also in CI",
        (
            "compare --revisions main HEAD -- npm start",
            "compare --commands 'node old.mjs' 'node new.mjs'",
        ),
        {
            0: "the new version is not worse",
            1: "the new version is worse",
            2: "the versions could not be compared, because one did not start or requests failed",
        },
        "about 2 minutes, or up to four times as long if the trials suggest that the new "
        "version is worse",
    ),
    Verb(
        "problems",
        "list the problems that examine looks for, their limits, and what is not examined",
        ("problems", "problems --json"),
    ),
)

LAB = Home(
    "lab",
    "Manage servers, check the machine, solve exercises, and examine your own server.",
    (
        Verb("ps", "list the running servers of this and other notebooks"),
        Verb("stop-all", "stop all servers that the book started"),
        Verb("servers", "list the servers of the catalogue"),
        Verb("doctor", "check whether this machine is fit for measuring"),
        Verb("results", "write the results of this machine into one file, and print its path"),
        Verb("exercises", "list the exercises"),
        Verb(
            "task",
            "show the task of an exercise, or the program to begin with",
            ("task summary", "task summary --starter > summary.mjs"),
        ),
        Verb(
            "check",
            "judge your program for an exercise",
            (
                "check summary summary.mjs",
                "check summary summary.mjs --page result.html",
                "check summary summary.mjs --for gradescope > results.json",
            ),
            {
                0: "every criterion held, or, with --for, the program was judged",
                1: "a criterion did not hold, or there is no verdict",
                2: "the program could not be judged, and a message says why",
            },
        ),
        Verb(
            "final",
            "judge all steps of your file drop, load it and examine it, and write one page "
            "about it",
            ("final my-drop/", "final my-drop/ --page mine.html"),
            {
                0: "every criterion of every step holds, and no problem was found",
                1: "a criterion does not hold, a step has no verdict, or a problem was found",
                2: "the folder has no program, or the arguments are wrong",
            },
            "about 3 minutes on an idle machine",
        ),
        Verb(
            "hint",
            "show the next hint for an exercise, and note with your work that you saw it",
            ("hint summary", "hint summary 2"),
        ),
        Verb(
            "grade",
            "judge a folder of hand-ins in sandboxes",
            ("grade handins", "grade handins --exercise summary --out graded"),
            {
                0: "every hand-in has a verdict",
                1: "some hand-ins have no verdict, so run the same command again",
            },
        ),
        Verb(
            "template",
            "write a repository of exercises for students to begin from",
            ("template ../exercises --syllabus 6", "template ../exercises summary every"),
        ),
        Verb(
            "collect",
            "fetch the repositories of a class into folders to be graded",
            ("collect class.csv handins", "collect class.csv handins --before 2027-01-18T23:59"),
            {
                0: "every repository was fetched",
                1: "some were not fetched, or the folder has students who are not in the list",
            },
        ),
        Verb(
            "model",
            "list every order in which a program can print, according to a model of Node's "
            "event loop",
            ("model order.mjs", "model order.mjs --node 26 --json"),
            {2: "the program does not parse, or does something that is not modelled"},
        ),
        *CLINIC,
    ),
)

BOOK = Home(
    "lab.book",
    "Build the book, record it, and add to it.",
    (
        Verb(
            "build",
            "run the chapters that have changed, and write the site",
            ("build", "build --output _build/mine"),
            {1: "a chapter or the site has an error", 2: "the build could not start"},
        ),
        Verb("preview", "serve the site from the record and rebuild it on save"),
        Verb(
            "chapter",
            "measure one chapter again, even if its results are cached",
            ("chapter cases/off-the-loop",),
        ),
        Verb(
            "reference",
            "record the reference run, or continue it",
            ("reference", "reference --fresh"),
        ),
        Verb(
            "versions",
            "measure every claim once on each Node",
            ("versions --nodes 24 26", "versions cases/overload", "versions --against"),
            {1: "with --against: something differs from data/versions.json"},
        ),
        Verb(
            "candidate",
            "compare a nightly or a build of Node with a release, as a page of Markdown",
            ("candidate out/Release/node", "candidate node-v26.9.0-rc.1-linux-x64.tar.xz start"),
            {1: "something differs from the release"},
        ),
        Verb("checks", "count the checks of the recorded run by kind", ("checks", "checks steady")),
        Verb(
            "new",
            "write a template of a chapter, server, question, claim or exercise",
            ("new chapter streams/my-page", "new server node/my-server"),
        ),
        Verb("lint", "warn about text counts that are outside their limits"),
        Verb(
            "picture", "draw the README's picture and badges again, from the records and settings"
        ),
        Verb("teaching", "count how each chapter teaches", ("teaching", "teaching --questions")),
    ),
)

LIVE = Home(
    "lab.live",
    "Serve the book from a Jupyter server, with cells that run in the page.",
    (
        Verb("", "serve the book, and pass further arguments to JupyterLab", (" --no-browser",)),
        Verb("seconds", "record how long each cell takes, so that the pages can show it"),
    ),
)

CLASSROOM = Home(
    "lab.classroom",
    "Make a course, judge hand-ins, and review the class.",
    (
        Verb(
            "make",
            "make a course, or make its assignments again",
            ("make ../course", "make ../course --syllabus 12 --start 2027-01-11"),
        ),
        Verb(
            "grade",
            "judge the hand-ins of a week; nbgrader autograde enters the points",
            ("grade week-1", "grade week-1 --student anna"),
            {1: "some hand-ins have no verdict, so run the same command again"},
        ),
        Verb("export", "write criteria.csv and grades.json from the gradebook"),
        Verb("report", "write a report of what the class found hard, without names"),
        Verb("alike", "list similar hand-ins, to be compared by you", ("alike week-1",)),
        Verb("passback", "send the scores of a week to an LMS by LTI 1.3", ("passback week-1",)),
    ),
)

TRACE = Home(
    "lab.trace",
    "Record what the event loop does with a program, so that a page can replay it.",
    (Verb("", "show in which order a program prints, and record it for the replay"),),
)

TOOLS = (
    Home(
        "lab.grading.mutation",
        "",
        (Verb("", "judge an exercise's solution and wrong answers (`make mutation`)"),),
    ),
    Home("lab.instruments.calibrate", "", (Verb("", "check the load generator against a clock"),)),
    Home("lab.servers.rust_addon", "", (Verb("", "build the addons in Rust (`make addons`)"),)),
    Home(
        "lab.simulator.compare",
        "",
        (Verb("", "compare the exercises' checks on the model with those in the sandbox"),),
    ),
    Home("lab.kernels.kernelspec", "", (Verb("", "install the two kernels (`make kernels`)"),)),
)

# The program that `tools/checkup` makes of the clinic: the same verbs under a name of its own.
CHECKUP = Home(
    "checkup",
    "Examine your own Node.js server under load, and compare two versions of it.",
    (
        *CLINIC,
        Verb("schema", "print the JSON Schema of what --json prints"),
        Verb(
            "completion",
            "print the completion script of a shell",
            (
                'completion bash > "$HOME/.local/share/bash-completion/completions/node-checkup"',
                'completion zsh > "${fpath[1]}/_node-checkup"',
            ),
        ),
    ),
    "node-checkup",
)

HOMES = {home.name: home for home in (LAB, BOOK, LIVE, CLASSROOM, TRACE)}
