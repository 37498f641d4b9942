// Writes the rules of every node of a cluster, on several threads, and on several machines as a Kubernetes Indexed Job.
//
// kubectl get svc,endpointslices,nodes -A -o json > cluster.json
// node rules-of-nodes.mjs cluster.json FOLDER [THREADS] [--digests]
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

/**
 * Writes `NODE.FAMILY` into the folder for the nodes of the cluster in `file`, and a summary with the digests for each
 * thread; without `texts` only the summaries. Each thread reads the file itself, because threads cannot share objects,
 * and writes the rules of some nodes. Machine `machine` of `machines` writes its share of the nodes. Rejects if a thread
 * fails.
 */
export async function writeRules(file, folder, options = {}) {
  const { threads = availableParallelism(), machine = 0, machines = 1, texts = true } = options
  mkdirSync(folder, { recursive: true })
  const shares = threads * machines
  const workers = Array.from({ length: threads }, (_, thread) => {
    const workerData = { file, folder, texts, share: machine * threads + thread, shares }
    return once(new Worker(WORKER, { workerData }), 'exit')
  })
  await Promise.all(workers)
}

const WORKER = new URL('write-share.mjs', import.meta.url)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const options = { digests: { type: 'boolean', default: false } }
  const { positionals, values } = parseArgs({ options, allowPositionals: true })
  const [file, folder, threads = availableParallelism()] = positionals
  // An Indexed Job sets the first variable, and job.yaml the second one.
  const { JOB_COMPLETION_INDEX: machine = 0, MACHINES: machines = 1 } = process.env
  const share = { threads: Number(threads), machine: Number(machine), machines: Number(machines) }
  await writeRules(file, folder, { ...share, texts: !values.digests })
}
