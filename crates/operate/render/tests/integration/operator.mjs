// Holds manifests, a JSON document a line on standard input, against the schemas of TiDB Operator's types: those of both its lines, in
// the folder of packages that is the argument. Says what is wrong, and at the end how many it knew.
import { createInterface } from 'node:readline';

const types = {
  'pingcap.com/v1alpha1': 'ComGithubPingcapTidbOperatorPkgApisPingcapV1alpha1',
  'core.pingcap.com/v1alpha1': 'ComGithubPingcapTidbOperatorApiV2CoreV1alpha1',
};
let known = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const manifest = JSON.parse(line);
  const prefix = types[manifest.apiVersion];
  if (!prefix) continue;
  const schema = `${process.argv[2]}/@kubernetes-models/tidb-operator/_schemas/${prefix}${manifest.kind}.js`;
  const { validate } = await import(schema);
  known += 1;
  if (validate(manifest)) continue;
  for (const { instancePath, keyword, params } of validate.errors) {
    // The schemas are made of Go's types, in which a pod has containers. An overlay is no pod, but merged into one.
    const overlaid = instancePath.endsWith('/overlay/pod/spec') && params.missingProperty === 'containers';
    if (!overlaid) console.error(`${manifest.kind}${instancePath}: ${keyword} ${JSON.stringify(params)}`);
  }
}
console.log(known);
