// One thread of `rules-of-nodes.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { compileNodes, print } from '@kube-rules/compiler'

const { file, folder, share, threads } = workerData
const { items } = JSON.parse(readFileSync(file, 'utf8'))
const itemsOf = (kind) => items.filter((item) => item.kind === kind)
const input = { services: itemsOf('Service'), endpointSlices: itemsOf('EndpointSlice'), nodes: itemsOf('Node') }
const nodeNames = input.nodes.map(({ metadata }) => metadata.name).filter((_, index) => index % threads === share)

for (const { nodeName, result } of compileNodes(input, { nodeNames })) {
  for (const { family, state } of result.families) writeFileSync(join(folder, `${nodeName}.${family}`), print(state))
}
