import { useEffect, useState } from 'react';
import { useRights } from '../api/account.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { type Batch, type BatchItem, isFinal, itemPage, signatureOf } from './queries.ts';

/** As many items as the grid has squares; the list loads more where a batch has more. */
export const MAX_SQUARES = 2000;
const USUAL_RPS = 10;

type Page = { cursor: string | null; first: number; items: BatchItem[]; next: string | null };
export type Items = { items: BatchItem[]; isWhole: boolean; problem: Problem | null };

const NONE: Items = { items: [], isWhole: false, problem: null };

/**
 * The first `wanted` items of a batch, kept up to date.
 *
 * Items are released in their order. So only the pages between the first unfinished item and the last
 * released one are read again, not all of them.
 */
export function useItems(batch: Batch | undefined, wanted: number): Items {
  const [shown, setShown] = useState(NONE);
  const [loader, setLoader] = useState<ItemLoader | null>(null);
  const rps = useRights().account?.limits.rate_limit_rps ?? USUAL_RPS;
  const id = batch?.id;

  useEffect(() => {
    if (id === undefined) return undefined;
    const made = new ItemLoader(id, setShown);
    setShown(NONE);
    setLoader(made);
    return () => made.stop();
  }, [id]);

  const signature = batch && signatureOf(batch);
  useEffect(() => {
    if (batch) loader?.ask(batch, wanted, 1000 / rps);
  }, [loader, signature, wanted, rps]);
  return shown;
}

class ItemLoader {
  private readonly id: string;
  private readonly show: (items: Items) => void;
  private readonly stopped = new AbortController();
  private pages: Page[] = [];
  private asked: { isFinal: boolean; wanted: number; pauseMs: number } | null = null;
  private isRunning = false;

  constructor(id: string, show: (items: Items) => void) {
    this.id = id;
    this.show = show;
  }

  stop(): void {
    this.stopped.abort();
  }

  /** Bring the items up to date; a call during another one is served after it. */
  ask(batch: Batch, wanted: number, pauseMs: number): void {
    if (batch.total === 0) return;
    this.asked = { isFinal: isFinal(batch), wanted, pauseMs };
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    try {
      while (this.asked !== null) {
        const { isFinal: isEnd, wanted, pauseMs } = this.asked;
        this.asked = null;
        await this.refresh(isEnd, pauseMs);
        await this.loadMore(wanted, pauseMs);
        this.tell(null);
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) this.tell(problemOf(error));
    }
    this.isRunning = false;
  }

  private async refresh(isEnd: boolean, pauseMs: number): Promise<void> {
    for (const [at, page] of this.pages.entries()) {
      // After a retry, failed items wait again.
      if (page.items.every(({ status }) => status === 'succeeded' || status === 'canceled')) continue;
      const read = await this.read(page.cursor, page.first, pauseMs);
      this.pages[at] = read;
      if (read.items.length !== page.items.length) {
        // Pages end where they grow too large: the next ones begin elsewhere now.
        this.pages.length = at + 1;
        return;
      }
      if (!isEnd && isSame(page, read) && read.items.some(({ status }) => status === 'pending')) break;
      this.tell(null);
    }
  }

  private async loadMore(wanted: number, pauseMs: number): Promise<void> {
    for (;;) {
      const last = this.pages.at(-1);
      const first = last ? last.first + last.items.length : 0;
      if ((last && last.next === null) || first >= wanted) return;
      this.pages.push(await this.read(last?.next ?? null, first, pauseMs));
      this.tell(null);
    }
  }

  /** A page, after a pause that leaves half of the rate to others. */
  private async read(cursor: string | null, first: number, pauseMs: number): Promise<Page> {
    if (cursor !== null) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const { data, next_cursor: next } = await itemPage(this.id, { cursor, signal: this.stopped.signal });
    return { cursor, first, items: data, next };
  }

  private tell(problem: Problem | null): void {
    if (this.stopped.signal.aborted) return;
    const items = this.pages.flatMap((page) => page.items);
    this.show({ items, isWhole: this.pages.at(-1)?.next === null, problem });
  }
}

function isSame(before: Page, after: Page): boolean {
  return before.items.length === after.items.length && before.items.every(({ status }, at) => status === after.items[at]?.status);
}
