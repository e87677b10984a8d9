<?php
// Driver of the PHP code of docs/clients.md: `driver.php FILE`, a delivery on each line.

require $argv[1];

while (($line = fgets(STDIN)) !== false) {
    [$secret, $id, $timestamp, $signature, $body] = explode("\t", rtrim($line, "\n"));
    $named = ['Webhook-Id' => $id, 'Webhook-Timestamp' => $timestamp, 'Webhook-Signature' => $signature];
    try {
        $event = verify($secret, array_filter($named, fn ($value) => $value !== ''), base64_decode($body));
        $accepted = $event['id'] === $id;
    } catch (RuntimeException $refused) {
        $accepted = false;
    }
    echo $accepted ? "accepted\n" : "refused\n";
}
