// An independent reading of a model: MuJoCo's own, by its build for JavaScript.
//
// usage: node mujoco_client.mjs CLIENTS MODEL.xml [KEY]     CLIENTS/node_modules/@mujoco/mujoco
//
// Prints masses, inertias, places and accelerations, without contacts, limits and loops; and its list of contacts.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [clients, model, key] = process.argv.slice(2);
const {default: load} = await import(pathToFileURL(path.join(clients, 'node_modules/@mujoco/mujoco/mujoco.js')));
const mj = await load();

const files = new mj.MjVFS();
const folder = path.dirname(model);
for (const name of fs.readdirSync(folder, {recursive: true})) {
  const file = path.join(folder, name);
  if (fs.statSync(file).isFile() && file !== model && /\.(xml|stl|obj)$/i.test(name)) {
    files.addBuffer(name, new Uint8Array(fs.readFileSync(file)));
  }
}
const m = mj.MjModel.from_xml_string(fs.readFileSync(model, 'utf-8'), files);
const d = new mj.MjData(m);
mj.mj_forward(m, d);
const geom = (i) => mj.mj_id2name(m, mj.mjtObj.mjOBJ_GEOM.value, i);
const contacts = [];
for (let i = 0; i < d.ncon; i++) {
  const one = d.contact.get(i);
  contacts.push({geoms: [geom(one.geom1), geom(one.geom2)], directions: one.dim, friction: Array.from(one.friction), gap: one.dist});
}
m.opt.disableflags |= 1; // mjDSBL_CONSTRAINT
if (key !== undefined) {
  const keys = [...Array(m.nkey).keys()].map((i) => mj.mj_id2name(m, mj.mjtObj.mjOBJ_KEY.value, i));
  mj.mj_resetDataKeyframe(m, d, keys.indexOf(key));
}
mj.mj_forward(m, d);
mj.mj_rnePostConstraint(m, d);

const some = (array, at, n) => Array.from(array.slice(at * n, at * n + n));
const gravity = some(m.opt.gravity, 0, 3);
const bodies = {};
for (let i = 1; i < m.nbody; i++) {
  const result = new mj.DoubleBuffer(6);
  mj.mj_objectAcceleration(m, d, mj.mjtObj.mjOBJ_BODY.value, i, result, 0);
  const a = Array.from(result.GetView());
  result.delete();
  bodies[mj.mj_id2name(m, mj.mjtObj.mjOBJ_BODY.value, i)] = {
    parent: m.body_parentid[i], joints: m.body_jntnum[i], mass: m.body_mass[i], moments: some(m.body_inertia, i, 3),
    centre: some(d.xipos, i, 3), axes: some(d.ximat, i, 9),
    turning: a.slice(0, 3), acceleration: a.slice(3).map((x, k) => x + gravity[k]),
  };
}
const joints = {};
for (let i = 0; i < m.njnt; i++) {
  joints[mj.mj_id2name(m, mj.mjtObj.mjOBJ_JOINT.value, i)] = {anchor: some(d.xanchor, i, 3), axis: some(d.xaxis, i, 3)};
}
const sensors = {};
for (let i = 0; i < m.nsensor; i++) {
  const at = m.sensor_adr[i];
  sensors[mj.mj_id2name(m, mj.mjtObj.mjOBJ_SENSOR.value, i)] = Array.from(d.sensordata.slice(at, at + m.sensor_dim[i]));
}
console.log(JSON.stringify({bodies, joints, contacts, sensors}));
