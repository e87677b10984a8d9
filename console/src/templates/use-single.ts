import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';

/** A mutation that runs once at a time: a mouse sends two clicks where one is meant. */
export function useSingle<Data, Variables = void>(options: UseMutationOptions<Data, Error, Variables>) {
  const isBusy = useRef(false);
  const mutation = useMutation({
    ...options,
    onSettled: (...settled) => {
      isBusy.current = false;
      return options.onSettled?.(...settled);
    },
  });
  const { mutateAsync } = mutation;
  const mutate = useCallback((variables: Variables) => {
    if (isBusy.current) return;
    isBusy.current = true;
    // What fails is in `error`.
    mutateAsync(variables).catch(() => undefined);
  }, [mutateAsync]);
  return { ...mutation, mutate };
}
