// One thread of `rules-of-nodes.mjs`.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { compileNodes, print } from '@kube-rules/compiler'

const { file, folder, share, shares } = workerData
const { items } = JSON.parse(readFileSync(file, 'utf8'))
const itemsOf = (kind) => items.filter((item) => item.kind === kind)
const input = { services: itemsOf('Service'), endpointSlices: itemsOf('EndpointSlice'), nodes: itemsOf('Node') }
const nodeNames = input.nodes.map(({ metadata }) => metadata.name).filter((_, index) => index % shares === share)
const summary = []

for (const { nodeName, result } of compileNodes(input, { nodeNames })) {
  for (const { family, state } of result.families) {
    const text = print(state)
    writeFileSync(join(folder, `${nodeName}.${family}`), text)
    summary.push({ nodeName, family, digest: createHash('sha256').update(text).digest('hex') })
  }
}
writeFileSync(join(folder, `summary-${share}.json`), JSON.stringify(summary))
