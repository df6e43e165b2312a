// Compares manifests, a JSON document a line on standard input, with the schemas of Kubernetes' own types in the folder of packages
// that is the argument. Names what is wrong, and at the end how many it knew.
import { createInterface } from 'node:readline';

const groups = {
  v1: 'CoreV1',
  'apps/v1': 'AppsV1',
  'networking.k8s.io/v1': 'NetworkingV1',
  'rbac.authorization.k8s.io/v1': 'RbacV1',
};
let known = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const manifest = JSON.parse(line);
  const group = groups[manifest.apiVersion];
  if (!group) continue;
  const { validate } = await import(`${process.argv[2]}/kubernetes-models/_schemas/IoK8sApi${group}${manifest.kind}.js`);
  known += 1;
  if (validate(manifest)) continue;
  for (const { instancePath, keyword, params } of validate.errors) {
    console.error(`${manifest.kind}${instancePath}: ${keyword} ${JSON.stringify(params)}`);
  }
}
console.log(known);
