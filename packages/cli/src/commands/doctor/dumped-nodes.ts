import { basename, extname, join } from 'node:path'
import { findPodConfiguration, type NodeDump, readNodeDumps } from '@kube-rules/application/cluster'
import { InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../../cli-context.js'
import { readFiles } from '../../files/read-sources.js'
import { type CollectOptions, collectNode, readProxyPods } from '../../live/collect-node.js'

/** The rules of a node, or the reason why they were not read. */
export type ReadNode = DumpedNode | ({ readonly nodeName: string; readonly problem: string } & NodeFacts)

/** The rules of a node. */
export type DumpedNode = NodeDump & NodeFacts

interface NodeFacts {
  /** Notes without a `note: ` prefix. */
  readonly notes?: readonly string[]
  /** The configuration of kube-proxy on the node; absent if the configuration of the cluster applies. */
  readonly configuration?: object | undefined
}

/**
 * Reads the dumps of nodes from files of `collect --live`, and from files with the names of nodes.
 *
 * @throws InputError if a file cannot be read, or two files have the rules of one node.
 */
export async function readDumpedNodes(context: CliContext, paths: readonly string[]): Promise<readonly NodeDump[]> {
  const dumps: NodeDump[] = []
  for (const path of paths) {
    const isDirectory = await context.files.isDirectory(path).catch(() => false)
    const names = isDirectory ? [...(await context.files.listDirectory(path))].sort() : []
    const files = isDirectory ? names.filter((name) => !name.startsWith('.')).map((name) => join(path, name)) : [path]
    for (const source of await readFiles(context, files)) {
      const nodeName = basename(source.name, extname(source.name))
      dumps.push(...(readNodeDumps(source) ?? [{ nodeName, text: source.text }]))
    }
  }
  const seen = new Set<string>()
  for (const { nodeName } of dumps) {
    if (seen.has(nodeName)) throw new InputError(`node ${nodeName} has two dumps`)
    seen.add(nodeName)
  }
  return dumps
}

/** Reads the rules of nodes one after the other. Continues with the next node after a problem. */
export async function* collectNodes(
  context: CliContext,
  options: CollectOptions,
  nodeNames: readonly string[],
): AsyncGenerator<ReadNode> {
  const pods = await readProxyPods(context, options)
  for (const nodeName of nodeNames) {
    try {
      const collected = await collectNode(context, options, nodeName, pods)
      yield { ...collected, configuration: findPodConfiguration(pods, nodeName)?.configuration }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      yield { nodeName, problem: [...error.details, error.message].join('; ') }
    }
  }
}
