import { constants } from "node:fs";
import { open } from "node:fs/promises";

const FILES = { template: "template.txt", settings: "settings.json" };

/** A process in which the server has not begun yet: its folder can be filled first. */
async function prepared(t, files) {
  const student = await t.module({ load: false, env: { CONFIG: ".", PORT: "0" } });
  for (const [name, content] of Object.entries(files)) student.put(name, content);
  const port = () => student.listens();
  return { student, port };
}
const texts = (t) => {
  const template = `${t.token()} {name} ${t.token()} {place} {name}`;
  const place = t.token();
  return {
    template,
    place,
    files: { [FILES.template]: template, [FILES.settings]: JSON.stringify({ place }) },
    made: (name) => template.replaceAll("{name}", name).replaceAll("{place}", place),
  };
};

const served = (t) =>
  t.once("served", async () => {
    const start = texts(t);
    const { student, port } = await prepared(t, start.files);
    await student.load();
    if (!(await t.until(port, 3000)))
      t.miss(
        'your server did not listen: it should call listen(process.env.PORT, "127.0.0.1"), as the starter does',
        student.told(),
      );
    // Changed before anybody has asked: what is read now tells so.
    const changed = texts(t);
    for (const [name, content] of Object.entries(changed.files)) student.put(name, content);
    const first = await asks(t, port(), start.made, changed.made);
    const later = texts(t);
    for (const [name, content] of Object.entries(later.files)) student.put(name, content);
    const second = await asks(t, port(), start.made, changed.made, later.made);
    await student.stop();
    return { first, second, made: mixtures([start, changed, later]) };
  });

/** Every template with every place: an answer may be right, and of files that were read at different times. */
const mixtures = (all) =>
  all.flatMap(({ template }) =>
    all.map(
      ({ place }) =>
        (name) =>
          template.replaceAll("{name}", name).replaceAll("{place}", place),
    ),
  );

/** Whose text is answered: 0 that of the start, 1 that of the first change, 2 of the second; -1 none of them, or a mixture. */
async function asks(t, port, ...made) {
  const name = t.token();
  const { body, error } = await t.get({ port }, `/${name}`);
  const said = error ?? String(body);
  return {
    whose: made.findIndex((each) => each(name) === said),
    name,
    said,
    wanted: made[0](name),
  };
}

export default {
  async answers(t) {
    const { first, second, made } = await served(t);
    for (const { said, name } of [first, second])
      t.ok(
        made.some((each) => each(name) === said),
        "the response is not the template with the name and the place filled in",
        { saw: said, wanted: made[0](name) },
      );
  },

  async before(t) {
    const early = async (file) => {
      const { files } = texts(t);
      const { [file]: content, ...others } = files;
      const { student, port } = await prepared(t, others);
      const pipe = t.fifo(student, file);
      const loaded = student.load();
      loaded.catch(() => {});
      // The pipe can be opened for writing when somebody has come to read it. It stays open, and empty: whoever reads waits.
      let writer;
      const reads = async () => {
        try {
          writer ??= await open(
            pipe.path,
            constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
          );
        } catch (error) {
          if (error.code !== "ENXIO") throw error;
        }
        return writer !== undefined || port() !== undefined;
      };
      await t.until(reads, 3000);
      const listens = await t.until(port, 150);
      await writer?.writeFile(content);
      await writer?.close();
      await student.stop();
      return listens;
    };
    for (const [what, file] of Object.entries(FILES))
      t.ok(
        !(await early(file)),
        `the server was listening although its ${what} could not be read yet`,
        {
          wanted: "it has read all that it needs before it listens",
        },
      );
  },

  async nothing(t) {
    const { first, second } = await served(t);
    const seen = (one) => ({ saw: one.said, wanted: one.wanted });
    if (first.whose === 0 && second.whose === 0) return;
    if (first.whose === second.whose)
      t.miss(
        "the files were changed while the server was listening but before the first request, and the responses changed. So the server reads the files on the first request, and clients have to wait for that",
        seen(first),
      );
    t.miss(
      "the files were changed while the server was listening, and the responses changed with them, so the server reads the files for each request",
      seen(first.whose === 0 ? second : first),
    );
  },

  async fails(t) {
    const { files } = texts(t);
    const { [FILES.settings]: _, ...without } = files;
    const broken = { ...files, [FILES.settings]: "place = here" };
    const begins = async (given) => {
      const { student, port } = await prepared(t, given);
      const ended = await student.load().then(
        () => t.until(() => student.end !== undefined, 300),
        () => true, // its first lines threw: that is what is wanted
      );
      const began = !ended && port() !== undefined;
      await student.stop();
      return began;
    };
    for (const [what, given] of Object.entries({ "was missing": without, "was not JSON": broken }))
      t.ok(
        !(await begins(given)),
        `\`settings.json\` ${what}, but the server listened, so the person who starts the server doesn't find out`,
        {
          wanted: "it ends with an error",
        },
      );
  },
};
