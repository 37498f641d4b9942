import { type Cluster, loadCluster } from '../../../cli/src/cluster/load-cluster.js'
import type { Context } from '../../../cli/src/context.js'
import { InputError } from '../../../cli/src/errors.js'
import { diagnosticLines } from '../../../cli/src/report/diagnostic-lines.js'
import type { Diagnostic } from '@kube-rules/types'
import type { Question } from '../question/question.js'

export type ReadCluster =
  | { readonly ok: true; readonly cluster: Cluster }
  | { readonly ok: false; readonly message: string; readonly details: readonly string[]; readonly diagnostics: readonly Diagnostic[] }

/** The objects of a text, as the command reads them. INTERIM */
export async function readCluster(objects: string, { host, node, mode, version, assign }: Question): Promise<ReadCluster> {
  const files: Record<string, string> = { 'cluster.yaml': objects, 'host.yaml': host }
  const context = {
    files: {
      readFile: async (path: string) => new TextEncoder().encode(files[path] ?? ''),
      isDirectory: async () => false,
      listDirectory: async () => [],
    },
  } as unknown as Context
  try {
    const cluster = await loadCluster(context, {
      filename: ['cluster.yaml'],
      host: host.trim() === '' ? undefined : 'host.yaml',
      node: node || undefined,
      mode: mode || undefined,
      'kubernetes-version': version || undefined,
      'assign-cluster-ips': assign,
    })
    return { ok: true, cluster }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { ok: false, message: error.message, details: error.details, diagnostics: error.diagnostics }
  }
}

export { diagnosticLines, type Cluster }
