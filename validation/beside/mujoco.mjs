// Steps of MuJoCo: the motion of a free body on a plane.
//
// usage: node mujoco.mjs CLIENTS     CLIENTS/node_modules/@mujoco/mujoco; stdin {xml, velocity, end}
//
// Prints [t, position, velocity, rate] of each step.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const {default: load} = await import(pathToFileURL(path.join(process.argv[2], 'node_modules/@mujoco/mujoco/mujoco.js')));
const mj = await load();
const {xml, velocity, end} = JSON.parse(fs.readFileSync(0, 'utf-8'));
const m = mj.MjModel.from_xml_string(xml, new mj.MjVFS());
const d = new mj.MjData(m);
velocity.forEach((v, i) => {
  d.qvel[i] = v;
});
const rows = [];
while (d.time < end - m.opt.timestep / 2) {
  rows.push([d.time, ...Array.from(d.qpos.slice(0, 3)), ...Array.from(d.qvel.slice(0, 6))]);
  mj.mj_step(m, d);
}
rows.push([d.time, ...Array.from(d.qpos.slice(0, 3)), ...Array.from(d.qvel.slice(0, 6))]);
console.log(JSON.stringify(rows));
