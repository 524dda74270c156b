/** Sharing limited space among networks, so that a network that sends a lot leaves room for the others. */
import { networkAround } from '../../platform/networks.ts'

/**
 * Reorders rows so that networks take turns: the first row of each network, then the second row of each, and so on.
 * Otherwise, the order stays. An IPv6 network is a /48, since one customer may have that much.
 */
export function inTurns<R extends { client_address: string }>(rows: readonly R[]): R[] {
  const seen = new Map<string, number>()
  const turns = rows.map(row => {
    const network = networkAround(row.client_address, 48)
    const turn = seen.get(network) ?? 0
    seen.set(network, turn + 1)
    return { row, turn }
  })
  return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row)
}
