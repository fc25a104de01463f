// What tools/web/view/space.js uses of three.js; the rest is left out of the bundle.
export {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight, DynamicDrawUsage, HemisphereLight,
  InstancedBufferGeometry, InstancedMesh, LineBasicMaterial, LineSegments, MeshLambertMaterial, OrthographicCamera, Scene, ShaderMaterial,
  SphereGeometry, WebGLRenderer,
} from "three";
