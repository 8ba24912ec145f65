//! Which members are suspected in the parts of a key, and which are left alone.

use sluice_core::key::{Json, Suspicions};
use std::fmt::Write;

/// The kinds and places of everything that is found, a line each.
fn told(text: &str) -> String {
    let mut lines = String::new();
    for one in Suspicions::of_parts(&Json::parse(text.as_bytes()).unwrap()).kept() {
        writeln!(lines, "{} {}", one.kind(), one.path()).unwrap();
    }
    lines
}

/// Each member, alone in an object, is of this kind and no other.
#[track_caller]
fn members_are(kind: &str, members: &[&str]) {
    for member in members {
        let found = told(&format!("{{{member}}}"));
        let path = found.split_once(" /").map(|(found, _)| found);
        assert!(found.lines().count() == 1 && path == Some(kind), "{member} is no {kind}: {found:?}");
    }
}

#[track_caller]
fn members_are_fine(members: &[&str]) {
    for member in members {
        assert_eq!(told(&format!("{{{member}}}")), "", "{member}");
    }
}

#[test]
fn ids_of_deliveries_are_known_by_their_names_however_those_are_joined() {
    members_are(
        "delivery_id",
        &[
            r#""message_id":"m-1""#,
            r#""messageId":"5fea7756-0ea4-451a-a703-a558b933e274""#,
            r#""MessageId":"5fea7756-0ea4-451a-a703-a558b933e274""#,
            r#""Message-ID":"<CAF1@mail.example.org>""#,
            r#""messageid":7"#,
            r#""sqs_msg_id":"m""#,
            r#""receiptHandle":"AQEB""#,
            r#""ReceiptHandle":"h""#,
            r#""request_id":"r""#,
            r#""requestId":"r""#,
            r#""X-Request-Id":"r""#,
            r#""x-amzn-RequestId":"r""#,
            r#""aws_request_id":"r""#,
            r#""correlation_id":"c""#,
            r#""x-correlation-id":"c""#,
            r#""CorrelationId":"c""#,
            r#""traceId":"t""#,
            r#""dd.trace_id":"t""#,
            r#""x-b3-traceid":"t""#,
            r#""parent_span_id":"s""#,
            r#""traceparent":"t""#,
            r#""tracestate":"t""#,
            r#""tool_call_id":"c""#,
            r#""toolCallId":"c""#,
            r#""tool_use_id":"c""#,
            r#""delivery_id":"d""#,
            r#""webhook_delivery_id":"d""#,
            r#""X-Shop-Delivery":"d""#,
            r#""deliveryTag":9"#,
            r#""ackId":"a""#,
            r#""MessageDeduplicationId":"d""#,
            r#""Idempotency-Key":"k""#,
            r#""idempotency_key":"k""#,
            r#""checkoutAttemptId":"c""#,
            r#""nonce":"n""#,
            r#""Mcp-Session-Id":"s""#,
            r#""lockToken":"l""#,
            r#""invocation_id":"i""#,
        ],
    );
    assert_eq!(
        told(r#"{"trace":{"id":"t"},"span":{"id":"s"}}"#),
        "delivery_id /span/id\ndelivery_id /trace/id\n"
    );
}

#[test]
fn ids_of_deliveries_are_known_by_their_look() {
    members_are(
        "delivery_id",
        &[
            r#""parent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#,
            r#""root":"1-5759e988-bd862e3fe1be46a994272793""#,
            r#""header":"Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1""#,
            r#""call":"toolu_01A09q90qw90lq917835lq9""#,
            r#""id":"call_DdmO9pD3xa9XTPNJ32zg2hcA""#,
            r#""id":"req_8sYk2mQd31XbLz""#,
            &format!(r#""handle":"AQEB{}==""#, "w9+/aZ".repeat(20)),
        ],
    );
}

#[test]
fn an_event_id_and_the_id_of_a_thing_are_no_ids_of_a_delivery() {
    members_are_fine(&[
        r#""id":"evt_1NG8Du2eZvKYlo2CUI79vXWy""#,
        r#""message_id":"evt_1NG8Du2eZvKYlo2CUI79vXWy""#,
        r#""event_id":"e-1""#,
        r#""X-GitHub-Delivery":"72d3162e-cc78-11e3-81ab-4c9367dc0958""#,
        r#""github_delivery":"72d3162e-cc78-11e3-81ab-4c9367dc0958""#,
        r#""webhook-id":"msg_p5jXN8AQM9LWM0D4loKWxJek""#,
        r#""id":"5fea7756-0ea4-451a-a703-a558b933e274""#,
        r#""uuid":"5fea7756-0ea4-451a-a703-a558b933e274""#,
        r#""pull_request_id":17"#,
        r#""leave_request_id":"lr-4""#,
        r#""parcel_delivery_id":"p-9""#,
        r#""quiz_attempt_id":"q-1""#,
        r#""reply_to_message_id":4"#,
        r#""parentMessageId":"m""#,
        r#""message":"message_id""#,
        r#""messages":3"#,
        r#""run_id":"run_8f21""#,
        r#""job_id":"j""#,
        r#""session_id":"s""#,
        r#""call_id":"c-1""#,
        r#""key":"order-17""#,
        r#""nonce":7"#,
        r#""request":{"id":4}"#,
        r#""delivery":"standard""#,
        r#""message_id":null"#,
        r#""message_id":"""#,
        r#""sha":"326b0e08c815245a11be4b399c51e419f334f569""#,
    ]);
}

#[test]
fn counters_of_attempts_are_known_by_their_names() {
    members_are(
        "attempt",
        &[
            r#""attempt":2"#,
            r#""attempts":0"#,
            r#""attemptNumber":1"#,
            r#""delivery_attempt":5"#,
            r#""deliveryAttempt":"5""#,
            r#""retry":1"#,
            r#""retries":3"#,
            r#""retry_count":0"#,
            r#""RetryCount":0"#,
            r#""X-Slack-Retry-Num":"1""#,
            r#""ApproximateReceiveCount":"2""#,
            r#""x-delivery-count":2"#,
            r#""redelivered":true"#,
            r#""isRetry":false"#,
            r#""attemptsMade":1"#,
            r#""run_attempt":1"#,
            r#""tries":1"#,
        ],
    );
    members_are_fine(&[
        r#""max_attempts":3"#,
        r#""retry_limit":3"#,
        r#""maxRetries":3"#,
        r#""retry_after":30"#,
        r#""retry_policy":"none""#,
        r#""login_attempts":3"#,
        r#""attempt":"first""#,
        r#""attempt":{"of":1}"#,
        r#""attempted":1"#,
        r#""count":3"#,
        r#""retry":true"#,
        r#""delivery_number":80012345"#,
        r#""TRY":34.5"#,
        r#""country":1"#,
        r#""attempt":4711000"#,
    ]);
}

#[test]
fn clocks_are_known_by_a_look_that_only_they_have() {
    members_are(
        "clock",
        &[
            r#""a":"2026-11-30T10:00:00Z""#,
            r#""a":"2026-11-30T10:00:00.123456789+01:00""#,
            r#""a":"2026-11-30t10:00:00z""#,
            r#""a":"2026-11-30T10:00""#,
            r#""a":"20261130T100000Z""#,
            r#""a":"2026-11-30 10:00:00""#,
            r#""a":"2026-11-30 10:00:00.5 +0100""#,
            r#""a":"2026-11-30 10:00:00 UTC""#,
            r#""a":"Sun, 06 Nov 1994 08:49:37 GMT""#,
            r#""a":"Sunday, 06-Nov-94 08:49:37 GMT""#,
            r#""a":"Sun Nov  6 08:49:37 1994""#,
            r#""a":"Sun, 06 Nov 1994 08:49:37 +0000""#,
            r#""a":"6 Nov 1994 08:49 EST""#,
            r#""a":"Mon Nov 30 2026 10:00:00 GMT+0100 (Central European Standard Time)""#,
            r#""a":"11/30/2026, 10:00:00 AM""#,
            r#""a":"30.11.2026 10:00""#,
            r#""a":"30/Nov/2026:10:00:00 +0000""#,
            r#""a":"order-17@2026-11-30T10:00:00Z""#,
            r#""a":"https://files.example.org/x?X-Date=20261130T100000Z&X-Expires=300""#,
            r#""a":"https://files.example.org/x?until=2026-11-30T10%3A00%3A00Z""#,
            r#""list":["2026-11-30T10:00:00Z"]"#,
        ],
    );
}

#[test]
fn numbers_are_clocks_only_under_a_name_that_tells_the_time() {
    members_are(
        "clock",
        &[
            r#""timestamp":1764493200"#,
            r#""timestamp":1764493200123"#,
            r#""timestamp":"1764493200123""#,
            r#""timestamp":1764493200.25"#,
            r#""ts":1764493200"#,
            r#""eventTime":1764493200000"#,
            r#""created_at":1764493200"#,
            r#""createdat":1764493200"#,
            r#""sentAt":"1764493200123456""#,
            r#""time_ns":"1764493200123456789""#,
            r#""timeUnixNano":"1764493200123456789""#,
            r#""created":1764493200"#,
            r#""iat":1764493200"#,
            r#""now":1764493200"#,
            r#""SentTimestamp":"1764493200123""#,
            r#""updated_at_ms":1764493200123"#,
            r#""timestamp":"20261130100000""#,
            r#""now":"2026-11-30""#,
            r#""today":"2026-11-30""#,
            r#""createdAt":"2026-11-30""#,
        ],
    );
    members_are_fine(&[
        r#""order":1764493200"#,
        r#""order_id":1764493200123"#,
        r#""order_number":"1764493200123""#,
        r#""id":"1764493200123456789""#,
        r#""amount":1999999999"#,
        r#""amount_cents":1999"#,
        r#""created_at":1999"#,
        r#""created_at":null"#,
        r#""total_time":90"#,
        r#""runtime":1764493200"#,
        r#""format":1764493200"#,
        r#""event_ts":"1355517523.000005""#,
        r#""sku":"20261130100000""#,
        r#""version":"2026.11.30""#,
        r#""order":"2026-11-30-0017""#,
        r#""a":"2026-13-30T10:00:00Z""#,
        r#""a":"2026-11-30Tango""#,
        r#""a":"12026-11-30T10:00:00Z""#,
        r#""a":"The 30 Nov meeting at 10:00 is off""#,
        r#""a":"2026-11-30 10:00 meeting""#,
        r#""a":"10:00:00""#,
        r#""a":"Nov 30, 2026""#,
        r#""duration":"PT10H""#,
    ]);
}

#[test]
fn a_date_and_a_time_that_was_agreed_on_are_business_data() {
    members_are_fine(&[
        r#""date":"2026-11-30""#,
        r#""invoice_date":"2026-11-30""#,
        r#""period":"2026-11""#,
        r#""due_on":"2026-11-30T07:00:00Z""#,
        r#""dueAt":1764493200"#,
        r#""scheduled_for":"2026-11-30T07:00:00Z""#,
        r#""starts_at":"2026-11-30T07:00:00Z""#,
        r#""next_billing_date":"2026-11-30T00:00:00Z""#,
        r#""appointment":"2026-11-30T07:00:00Z""#,
        r#""departure_time":"2026-11-30 07:00""#,
    ]);
}

#[test]
fn addresses_are_found_alone_in_lists_and_behind_names() {
    members_are(
        "email",
        &[
            r#""to":"jo@example.org""#,
            r#""to":" jo@example.org ""#,
            r#""to":"Jo Doe <jo.doe+x@mail.example.co.uk>""#,
            r#""to":"ann@example.org, jo@example.org""#,
            r#""to":"mailto:jo@example.org""#,
            r#""to":"jö@exämple.org""#,
            r#""to":"jo@xn--exmple-cua.xn--p1ai""#,
            r#""to":"wang@163.com""#,
            r#""customer":"cus:jo@example.org""#,
            r#""link":"https://shop.example/unsubscribe?mail=jo@example.org""#,
            r#""email":"41898282+actions[bot]@users.noreply.example.com""#,
            r#""actor":["jo@example.org"]"#,
        ],
    );
    members_are_fine(&[
        r#""ssh_url":"git@github.com:octocat/hello-world.git""#,
        r#""ssh_url":"org-68@github.com:octo-org/octo-repo.git""#,
        r#""url":"ssh://git@localhost:3035/github/hello-world.git""#,
        r#""url":"https://user:word@host.example/path""#,
        r#""url":"https://social.example/@jo""#,
        r#""handle":"@jo""#,
        r#""handle":"@jo@social.example""#,
        r#""package":"@types/node@18.1""#,
        r#""package":"left-pad@1.0.0-rc.beta""#,
        r#""image":"repo/app@sha256:3da1996a8115d7616457760d9920b815241d0a03b34""#,
        r#""icon":"avatar@2x.png""#,
        r#""body":"Please write to jo@example.org when you are done""#,
        r#""time":"meet @ noon""#,
        r#""remote":"deploy@host.example.org:/srv""#,
        r#""email":null"#,
        r#""email":"none""#,
    ]);
}

#[test]
fn phone_numbers_have_a_plus_sign_a_form_or_a_name() {
    members_are(
        "phone",
        &[
            r#""to":"+14155550100""#,
            r#""to":"+49 30 901820""#,
            r#""to":"+1 (415) 555-0100""#,
            r#""to":"+44 20 7946 0958""#,
            r#""to":"tel:+14155550100""#,
            r#""to":"(415) 555-0100""#,
            r#""to":"(415)555-0100""#,
            r#""to":"415-555-0100""#,
            r#""to":"415.555.0100""#,
            r#""to":"1-415-555-0100""#,
            r#""to":"0049 30 901820""#,
            r#""to":"sms:+14155550100:welcome""#,
            r#""phone":"4155550100""#,
            r#""phone":4155550100"#,
            r#""phoneNumber":"030 901820""#,
            r#""mobile":"07700 900123""#,
            r#""msisdn":"491701234567""#,
            r#""whatsapp":"491701234567""#,
        ],
    );
    members_are_fine(&[
        r#""order":"4155550100""#,
        r#""order":4155550100"#,
        r#""order":"114-3941689-8772232""#,
        r#""id":"00491701234567""#,
        r#""ssn":"123-45-6789""#,
        r#""change":"+20""#,
        r#""change":"+1000000000""#,
        r#""zone":"+01:00""#,
        r#""ip":"192.168.100.200""#,
        r#""amount":"415.55""#,
        r#""phone_id":4155550100"#,
        r#""phone":"home""#,
        r#""mobile":true"#,
        r#""digest":"abc/+1415555010012345678/zz""#,
        r#""hash":"aGVsbG8+14155550100Zz""#,
        r#""number":"015-555-0100""#,
        r#""+1":0"#,
    ]);
}

#[test]
fn card_numbers_have_an_issuer_and_a_check_digit() {
    members_are(
        "payment_card",
        &[
            r#""source":"4111111111111111""#,
            r#""source":"4111 1111 1111 1111""#,
            r#""source":"4111-1111-1111-1111""#,
            r#""source":4111111111111111"#,
            r#""source":"5555555555554444""#,
            r#""source":"2223003122003222""#,
            r#""source":"378282246310005""#,
            r#""source":"3782 822463 10005""#,
            r#""source":"6011111111111117""#,
            r#""source":"3530111333300000""#,
            r#""source":"30569309025904""#,
            r#""source":"6200000000000005""#,
            r#""source":"card:4111111111111111:1999""#,
            r#""card":"4222222222222""#,
            r#""pan":"6304000000000000000""#,
            r#""card_number":"4111111111111111""#,
            r#""customer_id":"4111-1111-1111-1111""#,
        ],
    );
    members_are_fine(&[
        r#""source":"4111111111111112""#,
        r#""source":"4222222222222""#,
        r#""source":"9111111111111111""#,
        r#""source":"0000000000000000""#,
        r#""mid":"4912345678901234""#,
        r#""order_id":"4111111111111111""#,
        r#""id":4111111111111111"#,
        r#""source":"4111 1111-1111 1111""#,
        r#""source":"41111111-1111-1111-1111-111111111111""#,
        r#""source":"411111111111111a""#,
        r#""imei":"490154203237518""#,
        r#""ean":"4006381333931""#,
        r#""url":"https://api.example.org/runs/4111111111111111""#,
        r#""last4":"1111""#,
        r#""iban":"DE89370400440532013000""#,
    ]);
}
