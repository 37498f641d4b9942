// Writes the rules of every node of a cluster, on several threads.
//
// kubectl get svc,endpointslices,nodes -A -o json > cluster.json
// node rules-of-nodes.mjs cluster.json FOLDER [THREADS]
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Writes `NODE.FAMILY` into the folder for every node of the cluster in `file`. Each thread reads the file itself,
 * because threads cannot share objects, and writes the rules of some nodes. Rejects if a thread fails.
 */
export async function writeRules(file, folder, threads = availableParallelism()) {
  mkdirSync(folder, { recursive: true })
  const shares = Array.from({ length: threads }, (_, share) => ({ file, folder, share, threads }))
  await Promise.all(shares.map((workerData) => once(new Worker(WORKER, { workerData }), 'exit')))
}

const WORKER = new URL('write-share.mjs', import.meta.url)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file, folder, threads] = process.argv.slice(2)
  await writeRules(file, folder, threads === undefined ? undefined : Number(threads))
}
