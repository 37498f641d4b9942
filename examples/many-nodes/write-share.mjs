// One thread of `rules-of-nodes.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { compileNodes, digestOf, print } from '@kube-rules/compiler'

const { file, folder, texts, share, shares } = workerData
const { items } = JSON.parse(readFileSync(file, 'utf8'))
const itemsOf = (kind) => items.filter((item) => item.kind === kind)
const [configuration = {}] = itemsOf('KubeProxyConfiguration')
const objects = { services: itemsOf('Service'), endpointSlices: itemsOf('EndpointSlice'), nodes: itemsOf('Node') }
const input = { ...objects, configuration }
const nodeNames = input.nodes.map(({ metadata }) => metadata.name).filter((_, index) => index % shares === share)
const summary = []

for (const { nodeName, result } of compileNodes(input, { nodeNames })) {
  for (const { family, state } of result.families) {
    if (texts) writeFileSync(join(folder, `${nodeName}.${family}`), print(state))
    summary.push({ nodeName, family, digest: digestOf(state) })
  }
}
writeFileSync(join(folder, `summary-${share}.json`), JSON.stringify(summary))
