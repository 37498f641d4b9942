import { cleanUp, type IpFamily, modeNames, runCommands } from '@kube-rules/compiler'
import type { Logger } from './log.js'
import type { MachineFiles } from './machine.js'
import { readNode } from './read-node.js'
import type { RunTool } from './run-tool.js'

/** Removes the rules of every mode, as `kube-proxy --cleanup` does. Returns false if a command fails. */
export async function cleanUpNode(
  run: RunTool,
  files: MachineFiles,
  families: readonly IpFamily[],
  log: Logger,
): Promise<boolean> {
  const held = await readNode(run, files, families)
  const hasDevice = files.read('/proc/net/dev')?.includes('kube-ipvs0:') ?? false
  let isClean = true
  for (const mode of modeNames()) {
    // The clean-up of ipvs removes all virtual servers, also those of other programs.
    if (mode === 'ipvs' && !hasDevice) continue
    for (const family of families) {
      const commands = cleanUp(held[family], { mode })
      const done = await runCommands(commands, async ({ tool, args, input, onNonZeroExit }) => {
        const { status, stderr } = await run(tool, args, input)
        if (status !== 0 && onNonZeroExit === 'fail') log.error('a command failed', { tool, error: stderr.trim() })
        return status
      })
      if (done.ok || isMissingTool(done.error)) continue
      log.error('rules are left', { mode, family, purpose: done.failed.purpose })
      isClean = false
    }
  }
  return isClean
}

function isMissingTool(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
