import { testIptablesPackets } from './iptables-packets.js'

testIptablesPackets('IPv6', 'nft')
