import { cleanUp, type IpFamily, listModes, runCommands } from '@kube-rules/compiler'
import type { Logger } from './log.js'
import type { MachineFiles } from './machine.js'
import { readNode } from './read-node.js'
import { isMissing, type RunTool } from './run-tool.js'

/** Removes the rules of every mode, as `kube-proxy --cleanup` does. Returns false if a command fails. */
export async function cleanUpNode(
  run: RunTool,
  files: MachineFiles,
  families: readonly IpFamily[],
  log: Logger,
): Promise<boolean> {
  // The clean-up of ipvs removes all virtual servers, also those of other programs.
  const hasDevice = files.read('/proc/net/dev')?.includes('kube-ipvs0:') ?? false
  const modes = listModes().filter((mode) => mode !== 'ipvs' || hasDevice)

  async function cleanUpModes(report: Logger['error']): Promise<boolean> {
    const held = await readNode(run, files, families)
    let isClean = true
    for (const mode of modes) {
      for (const family of families) {
        const done = await runCommands(
          cleanUp(held[family], { mode }),
          async ({ tool, args, input, onNonZeroExit }) => {
            const { status, stderr } = await run(tool, args, input)
            if (status !== 0 && onNonZeroExit === 'fail') report('a command failed', { tool, error: stderr.trim() })
            return status
          },
        )
        if (done.ok || isMissing(done.error)) continue
        report('rules are left', { mode, family, purpose: done.failed.purpose })
        isClean = false
      }
    }
    return isClean
  }

  // Modes share chains: the kernel does not delete a chain before the last jump to it, which may be of a later mode.
  return (await cleanUpModes(() => {})) || cleanUpModes(log.error)
}
