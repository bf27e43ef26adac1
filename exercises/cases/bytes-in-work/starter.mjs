const most = 1000; // {{most}}
const longest = 4; // {{waiting}}

export async function run(bytes, job) {
  return job();
}
