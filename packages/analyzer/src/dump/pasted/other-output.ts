/** The output of a tool that prints no rules. People paste it beside rules. */
interface OtherOutput {
  readonly tool: string
  readonly pattern: RegExp
}

const OTHER_OUTPUTS: readonly OtherOutput[] = [
  {
    tool: 'conntrack',
    pattern:
      /^(?:(?:ipv[46]\s+\d+\s+)?(?:tcp|udp|udplite|sctp|dccp|icmp|icmpv6|gre|unknown)\s+\d+\s+(?:\d+\s+)?(?:[A-Z_0-9]+\s+)?src=\S+\s+dst=\S|conntrack v\d)/,
  },
  { tool: 'ipvsadm -Lc', pattern: /^(?:IPVS connection entries$|pro expire state\b|(?:TCP|UDP|SCTP)\s+\d+:\d+\s)/ },
  { tool: 'sysctl', pattern: /^(?:net|kernel|fs|vm|user)\.[\w./-]+ ?= ?\S/ },
  {
    tool: 'ip route',
    pattern:
      /^(?:(?:local|broadcast|unreachable|blackhole|prohibit) )?(?:default|[0-9a-f.:]+(?:\/\d+)?)(?: via [0-9a-f.:]+)? (?:dev \S|proto \S)/,
  },
  { tool: 'ip rule', pattern: /^\d+:\s+(?:not )?from (?:all|[0-9a-f.:]+)/ },
  {
    tool: 'ss or netstat',
    pattern:
      /^(?:(?:Netid\s+)?State\s+Recv-Q\b|Proto\s+Recv-Q\b|Active Internet connections\b|(?:(?:tcp|udp)6?\s+)?(?:LISTEN|ESTAB|UNCONN|TIME-WAIT)\s+\d+\s|(?:tcp|udp)6?\s+\d+\s+\d+\s+\S+:[\d*])/,
  },
  {
    tool: 'kubectl get',
    pattern:
      /^(?:(?:NAMESPACE\s+)?NAME\s+[A-Z][A-Z()-]+(?:\s|$)|(?:[a-z0-9-]+\s+)?(?:service|endpoints|endpointslice\.[a-z0-9.]+|pod|node)\/\S+\s{2,}\S|(?:[a-z0-9-]+\s+)?[a-z0-9.-]+\s+(?:(?:ClusterIP|NodePort|LoadBalancer|ExternalName)\s+\S+\s+\S+\s+\S+\s+\d+[smhdy]|(?:<none>|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}:\S+|\[[0-9a-f.:]+\]:\S+)(?: \+ \d+ more\.\.\.)?\s+\d+[smhdy]))/,
  },
]

/** Returns the tool that prints such a line, if it is a known tool that prints no rules. */
export function findOtherTool(source: string): string | undefined {
  return OTHER_OUTPUTS.find(({ pattern }) => pattern.test(source))?.tool
}
