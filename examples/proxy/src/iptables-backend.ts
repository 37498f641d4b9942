import type { IptablesBackend } from '@kube-rules/compiler'
import type { MachineFiles } from './machine.js'
import { outputOf, type RunTool } from './run-tool.js'

/** The chains by which the kubelet shows which back end it uses. */
const HINT = /^:(KUBE-IPTABLES-HINT|KUBE-KUBELET-CANARY) /m

const FAMILIES = ['iptables', 'ip6tables']

/**
 * Chooses the back end of iptables, if the machine has both: the one with chains of the kubelet, else the one with more
 * rules, else nft. Mirrors the `iptables-wrapper` in the image of kube-proxy. Returns undefined if only one is installed.
 */
export async function chooseIptablesBackend(run: RunTool, files: MachineFiles): Promise<IptablesBackend | undefined> {
  const isInstalled = (backend: IptablesBackend) => files.findProgram(`iptables-${backend}`) !== undefined
  if (!isInstalled('nft') || !isInstalled('legacy')) return undefined
  const [nft, legacy] = [await savedBy('nft'), await savedBy('legacy')]
  if (HINT.test(nft.mangle)) return 'nft'
  if (HINT.test(legacy.mangle)) return 'legacy'
  return countRules(legacy.all) > countRules(nft.all) ? 'legacy' : 'nft'

  async function savedBy(backend: IptablesBackend) {
    const save = (...args: readonly string[]) =>
      Promise.all(FAMILIES.map((tool) => outputOf(run, `${tool}-${backend}-save`, ...args))).then((texts) =>
        texts.join(''),
      )
    const mangle = await save('-t', 'mangle')
    return { mangle, all: HINT.test(mangle) ? mangle : await save() }
  }
}

function countRules(text: string): number {
  return text.match(/^-/gm)?.length ?? 0
}

/** Returns a function that runs the iptables tools of a back end: `iptables-legacy-restore` for `iptables-restore`. */
export function withBackend(run: RunTool, backend: IptablesBackend): RunTool {
  return (tool, args, input) => run(tool.replace(/^(ip6?tables)(?=$|-restore$|-save$)/, `$1-${backend}`), args, input)
}
