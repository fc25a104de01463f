// Steps of MuJoCo: the motion of a free body on a plane, or what balls in a box cost.
//
// usage: node mujoco.mjs CLIENTS     CLIENTS/node_modules/@mujoco/mujoco; stdin {xml, velocity, end, last}
//
// Prints [t, position, velocity, rate] of each step; where `last` is given, CPU of a step, the largest rate and the
// deepest overlap at the end.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const {default: load} = await import(pathToFileURL(path.join(process.argv[2], 'node_modules/@mujoco/mujoco/mujoco.js')));
const mj = await load();
const {xml, velocity, end, last} = JSON.parse(fs.readFileSync(0, 'utf-8'));
const m = mj.MjModel.from_xml_string(xml, new mj.MjVFS());
const d = new mj.MjData(m);
velocity.forEach((v, i) => {
  d.qvel[i] = v;
});
const rows = [], began = process.cpuUsage();
const note = () => rows.push([d.time, ...Array.from(d.qpos.slice(0, 3)), ...Array.from(d.qvel.slice(0, 6))]);
while (d.time < end - m.opt.timestep / 2) {
  note();
  mj.mj_step(m, d);
}
const cpu = process.cpuUsage(began);
note();
const gaps = () => [...Array(d.ncon).keys()].map((i) => -d.contact.get(i).dist);
const found = () => ({
  ms: (cpu.user + cpu.system) / 1e3 / (rows.length - 1),
  fastest: Math.max(...Array.from(d.qvel).map(Math.abs)),
  deepest: Math.max(0, ...gaps()),
});
console.log(JSON.stringify(last ? found() : rows));
