import type { Context } from '../../context.js'
import { commonOptions } from '../../options/option.js'
import { parseArguments, rejectOperands } from '../../options/parse-arguments.js'

/** Runs `kube-rules collect`. */
export async function runCollect(context: Context): Promise<number> {
  rejectOperands(parseArguments(commonOptions, context.args).operands)
  await context.stdout.write(`sudo sh -c '${STEPS.join('; ')}' > node.dump\n`)
  return 0
}

/** Shell commands without single quotes. A missing tool is skipped. Output without a parser is printed as a comment. */
const STEPS: readonly string[] = [
  // If both backends are installed, the plain name is one of the two.
  'for i in iptables ip6tables; do if command -v $i-nft-save >/dev/null; then $i-legacy-save; $i-nft-save; else $i-save; fi; done 2>/dev/null',
  'ipset save 2>/dev/null',
  'ipvsadm -Sn 2>/dev/null',
  'ip -o address show dev kube-ipvs0 2>/dev/null',
  // Tables that iptables-nft made are printed already, unless they have parts that it cannot print.
  'nft list tables 2>/dev/null | while read -r w f t; do case $f:$t in ip:raw|ip:mangle|ip:nat|ip:filter|ip:security) i=iptables;; ip6:raw|ip6:mangle|ip6:nat|ip6:filter|ip6:security) i=ip6tables;; *) i=;; esac; s=$i-save; if command -v $i-nft-save >/dev/null; then s=$i-nft-save; fi; o=; if [ "$i" ]; then o=$($s -V; $s -t $t); fi 2>/dev/null; case $o in *incompatible*) ;; *nft*|*nf_tables*) continue;; esac; nft list table $f $t 2>/dev/null; done',
  'ip -o address show | sed "s/^/# /"',
  'echo "# conntrack: $(conntrack -C 2>/dev/null) of $(sysctl -n net.netfilter.nf_conntrack_max 2>/dev/null)"',
]
